package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.shard.NewRecord;
import io.fencepost.txn.shard.ShardDecision;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.ShardTask;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes offsets and groups away: on an administrator's word, with their topic, or by age. Thread-
 * safe.
 */
public final class OffsetRemovals {
  /** Tombstones in one batch of a sweep; the rest follows in further batches. */
  private static final int SWEEP_RECORDS = 1000;

  private final GroupCoordinator groups;

  public OffsetRemovals(GroupCoordinator groups) {
    this.groups = groups;
  }

  /** Deletes a group without members, with all its offsets. */
  public void deleteGroup(String groupId, Consumer<WireError> answer) {
    groups.writeInTurn(
        groupId,
        new RemovalTask(
            shard -> {
              ConsumerGroup consumers = shard.consumers().current(groupId);
              if (consumers != null) {
                return deleteConsumers(shard, consumers);
              }
              ClassicGroup group = shard.findKnown(groupId);
              if (group == null || group.state() == GroupState.DEAD) {
                return Removal.refused(WireError.GROUP_ID_NOT_FOUND);
              }
              if (group.state() != GroupState.EMPTY) {
                return Removal.refused(WireError.NON_EMPTY_GROUP);
              }
              List<NewRecord> records = tombstones(shard, groupId);
              if (shard.hasRow(groupId)) {
                records.add(GroupCodec.groupTombstone(groupId));
              }
              shard.forget(groupId);
              return new Removal(WireError.NONE, records);
            },
            answer));
  }

  private static Removal deleteConsumers(GroupShard shard, ConsumerGroup group) {
    List<NewRecord> records = tombstones(shard, group.id());
    WireError error = ConsumerRemovals.end(shard, group, records);
    return error == WireError.NONE ? new Removal(error, records) : Removal.refused(error);
  }

  private static List<NewRecord> tombstones(GroupShard shard, String groupId) {
    List<OffsetKey> keys = new ArrayList<>(shard.offsets().stagedOf(groupId));
    shard.offsets().forEachOf(groupId, (key, stored) -> keys.add(key));
    List<NewRecord> records = new ArrayList<>();
    for (OffsetKey key : new TreeSet<>(keys)) {
      records.add(GroupCodec.offsetTombstone(key));
    }
    return records;
  }

  /**
   * Deletes single offsets. Members of a consumer group keep what they subscribe to; a group of
   * another kind must be empty.
   *
   * @param answer an error for the whole group, else one for each partition
   */
  public void deleteOffsets(
      String groupId,
      List<TopicPartition> partitions,
      BiConsumer<WireError, SortedMap<TopicPartition, WireError>> answer) {
    SortedMap<TopicPartition, WireError> outcome = new TreeMap<>();
    groups.write(
        groupId,
        new RemovalTask(
            shard -> {
              ConsumerGroup consumers = shard.consumers().current(groupId);
              if (consumers != null) {
                return removal(shard, groupId, partitions, consumers.subscribedTopics(), outcome);
              }
              ClassicGroup group = shard.findKnown(groupId);
              if (group == null || group.state() == GroupState.DEAD) {
                return Removal.refused(WireError.GROUP_ID_NOT_FOUND);
              }
              SortedSet<String> inUse = new TreeSet<>();
              if (group.state() != GroupState.EMPTY) {
                SortedSet<String> subscribed = group.subscribedTopics();
                if (subscribed == null) {
                  return Removal.refused(WireError.NON_EMPTY_GROUP);
                }
                inUse.addAll(subscribed);
              }
              return removal(shard, groupId, partitions, inUse, outcome);
            },
            error -> answer.accept(error, outcome)));
  }

  private static Removal removal(
      GroupShard shard,
      String groupId,
      List<TopicPartition> partitions,
      SortedSet<String> inUse,
      SortedMap<TopicPartition, WireError> outcome) {
    List<NewRecord> records = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      OffsetKey key = new OffsetKey(groupId, partition);
      if (inUse.contains(partition.topic())) {
        outcome.put(partition, WireError.GROUP_SUBSCRIBED_TO_TOPIC);
        continue;
      }
      outcome.put(partition, WireError.NONE);
      if (shard.offsets().committed(key) != null || shard.offsets().isStaged(key)) {
        records.add(GroupCodec.offsetTombstone(key));
      }
    }
    return new Removal(WireError.NONE, records);
  }

  /**
   * Drops all offsets of deleted partitions.
   *
   * @param beforeOffset offsets that were committed at or after this position belong to a new topic
   *     of the same name and stay
   */
  public void dropTopic(
      ShardRuntime<GroupShard> runtime, String topic, int firstPartition, long beforeOffset) {
    runtime.write(
        null,
        new RemovalTask(
            shard -> {
              SortedSet<OffsetKey> doomed = new TreeSet<>();
              shard
                  .offsets()
                  .forEach(
                      (key, stored) -> {
                        if (isDeleted(key, topic, firstPartition)
                            && stored.logOffset() < beforeOffset) {
                          doomed.add(key);
                        }
                        return true;
                      });
              for (OffsetKey key : shard.offsets().staged()) {
                if (isDeleted(key, topic, firstPartition)) {
                  doomed.add(key);
                }
              }
              List<NewRecord> records = new ArrayList<>();
              doomed.forEach(key -> records.add(GroupCodec.offsetTombstone(key)));
              return new Removal(WireError.NONE, records);
            },
            error -> {}));
  }

  private static boolean isDeleted(OffsetKey key, String topic, int firstPartition) {
    return key.partition().topic().equals(topic) && key.partition().partition() >= firstPartition;
  }

  /** Removes what is older than the retention, and groups of which nothing is left. */
  public void expire(ShardRuntime<GroupShard> runtime, long retentionMs) {
    int[] expired = new int[1];
    runtime.write(
        null,
        new RemovalTask(
            shard -> {
              List<NewRecord> records = expired(shard, retentionMs);
              expired[0] = records.size();
              return new Removal(WireError.NONE, records);
            },
            error -> {
              endConsumers(runtime);
              if (error == WireError.NONE && expired[0] >= SWEEP_RECORDS) {
                expire(runtime, retentionMs);
              }
            }));
  }

  /** Ends the groups of the newer protocol of which nothing is left, each in its turn. */
  private void endConsumers(ShardRuntime<GroupShard> runtime) {
    groups.read(
        runtime,
        shard -> {
          List<String> over = new ArrayList<>(shard.consumers().ids());
          over.removeIf(groupId -> !ConsumerRemovals.isOver(shard, groupId));
          return over;
        },
        over -> over.forEach(this::endConsumer),
        error -> {});
  }

  private void endConsumer(String groupId) {
    groups.writeInTurn(
        groupId,
        new RemovalTask(
            shard -> {
              List<NewRecord> records = new ArrayList<>();
              ConsumerGroup group = shard.consumers().current(groupId);
              if (group != null && ConsumerRemovals.isOver(shard, groupId)) {
                ConsumerRemovals.end(shard, group, records);
              }
              return new Removal(WireError.NONE, records);
            },
            error -> {}));
  }

  private static List<NewRecord> expired(GroupShard shard, long retentionMs) {
    Map<String, SortedMap<OffsetKey, StoredOffset>> byGroup = new LinkedHashMap<>();
    for (String groupId : shard.ids()) {
      byGroup.put(groupId, new TreeMap<>());
    }
    shard
        .offsets()
        .forEach(
            (key, stored) -> {
              byGroup.computeIfAbsent(key.group(), id -> new TreeMap<>()).put(key, stored);
              return true;
            });
    List<NewRecord> records = new ArrayList<>();
    for (Map.Entry<String, SortedMap<OffsetKey, StoredOffset>> entry : byGroup.entrySet()) {
      if (records.size() >= SWEEP_RECORDS) {
        break;
      }
      expireGroup(shard, entry.getKey(), entry.getValue(), retentionMs, records);
    }
    return records;
  }

  private static void expireGroup(
      GroupShard shard,
      String groupId,
      SortedMap<OffsetKey, StoredOffset> offsets,
      long retentionMs,
      List<NewRecord> records) {
    if (shard.isCommitting(groupId)) {
      return;
    }
    ConsumerGroup consumers = shard.consumers().current(groupId);
    ClassicGroup group = consumers == null ? shard.find(groupId) : null;
    SortedSet<String> inUse = consumers == null ? new TreeSet<>() : consumers.subscribedTopics();
    long nowMs = shard.now().wallMs();
    int left = 0;
    for (Map.Entry<OffsetKey, StoredOffset> entry : offsets.entrySet()) {
      Long deadlineMs =
          inUse.contains(entry.getKey().partition().topic())
              ? null
              : deadlineMs(group, entry.getKey(), entry.getValue(), retentionMs);
      if (deadlineMs != null && deadlineMs <= nowMs && !shard.offsets().isStaged(entry.getKey())) {
        records.add(GroupCodec.offsetTombstone(entry.getKey()));
      } else {
        left++;
      }
    }
    boolean isOver = group != null && group.isIdle() && left == 0;
    if (isOver && shard.hasRow(groupId) && shard.offsets().stagedOf(groupId).isEmpty()) {
      shard.forget(groupId);
      records.add(GroupCodec.groupTombstone(groupId));
    }
  }

  /**
   * When the offset goes; null while somebody uses it. Unlike in Kafka, one that was committed to a
   * group that is long empty is kept as long as any other.
   */
  private static @Nullable Long deadlineMs(
      @Nullable ClassicGroup group, OffsetKey key, StoredOffset stored, long retentionMs) {
    if (group != null && group.state() != GroupState.EMPTY) {
      SortedSet<String> subscribed = group.subscribedTopics();
      if (group.state() != GroupState.STABLE
          || subscribed == null
          || subscribed.contains(key.partition().topic())) {
        return null;
      }
    }
    if (stored.expireMs() >= 0) {
      return stored.expireMs();
    }
    long unusedSinceMs = stored.commitMs();
    if (group != null && group.state() == GroupState.EMPTY && !group.protocolType().isEmpty()) {
      unusedSinceMs = Math.max(unusedSinceMs, group.stateSinceMs());
    }
    return unusedSinceMs + retentionMs;
  }

  private record Removal(WireError error, List<NewRecord> records) {
    static Removal refused(WireError error) {
      return new Removal(error, List.of());
    }
  }

  private record RemovalTask(Function<GroupShard, Removal> plan, Consumer<WireError> answer)
      implements ShardTask<GroupShard> {
    @Override
    public ShardDecision decide(GroupShard shard) {
      Removal removal = plan.apply(shard);
      return ShardDecision.write(removal.records(), () -> answer.accept(removal.error()));
    }

    @Override
    public void refused(WireError error) {
      answer.accept(error);
    }
  }
}
