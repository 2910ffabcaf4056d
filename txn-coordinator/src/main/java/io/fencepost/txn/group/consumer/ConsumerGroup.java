package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One group of the newer protocol as its records say it. {@link #apply} is the only mutation, so
 * the log alone decides. Single-threaded.
 *
 * <p>Invariants: {@code targetEpoch <= epoch}; no partition is held by two members; an instance id
 * belongs to one member. {@link Draft} checks them before anything is written; a log that was
 * compacted may leave out what lay between, so a reader takes the newest word.
 */
public final class ConsumerGroup {
  private static final int FIRST_EPOCH = 1;

  private final String id;
  private boolean exists;
  private int epoch;
  private long topicsHash;
  private int targetEpoch;
  private long targetMadeMs;
  private final TreeMap<String, ConsumerMember> members = new TreeMap<>();
  private final TreeMap<String, PartitionSet> targets = new TreeMap<>();
  private final TreeMap<String, ConsumerChange.Matches> patterns = new TreeMap<>();

  /** Instance id to member id. */
  private final TreeMap<String, String> staticIds = new TreeMap<>();

  /** Who holds which partition. */
  private final TreeMap<Uuid, TreeMap<Integer, String>> holders = new TreeMap<>();

  public ConsumerGroup(String id) {
    this.id = id;
  }

  /** A group that is about to get its first member, who raises the epoch. */
  public static ConsumerGroup fresh(String id) {
    ConsumerGroup group = new ConsumerGroup(id);
    group.epoch = FIRST_EPOCH;
    return group;
  }

  /** A copy that can go its own way. */
  public ConsumerGroup copy() {
    ConsumerGroup copy = new ConsumerGroup(id);
    copy.exists = exists;
    copy.epoch = epoch;
    copy.topicsHash = topicsHash;
    copy.targetEpoch = targetEpoch;
    copy.targetMadeMs = targetMadeMs;
    copy.members.putAll(members);
    copy.targets.putAll(targets);
    copy.patterns.putAll(patterns);
    copy.staticIds.putAll(staticIds);
    holders.forEach((topicId, held) -> copy.holders.put(topicId, new TreeMap<>(held)));
    return copy;
  }

  public String id() {
    return id;
  }

  /** Whether there is a group at all: one whose end is logged keeps nothing. */
  public boolean exists() {
    return exists;
  }

  public int epoch() {
    return epoch;
  }

  /** Of the topics that the epoch was made for. */
  public long topicsHash() {
    return topicsHash;
  }

  /** The epoch of the targets; behind {@link #epoch} until they are made anew. */
  public int targetEpoch() {
    return targetEpoch;
  }

  /** Wall time at which the targets were made. */
  public long targetMadeMs() {
    return targetMadeMs;
  }

  public ConsumerGroupState state() {
    if (members.isEmpty()) {
      return ConsumerGroupState.EMPTY;
    }
    if (epoch > targetEpoch) {
      return ConsumerGroupState.ASSIGNING;
    }
    for (ConsumerMember member : members.values()) {
      if (!member.progress().isReconciledTo(targetEpoch)) {
        return ConsumerGroupState.RECONCILING;
      }
    }
    return ConsumerGroupState.STABLE;
  }

  /** All members, by id. */
  public Collection<ConsumerMember> members() {
    return Collections.unmodifiableCollection(members.values());
  }

  public @Nullable ConsumerMember member(String memberId) {
    return members.get(memberId);
  }

  public @Nullable ConsumerMember staticMember(String instanceId) {
    String memberId = staticIds.get(instanceId);
    return memberId == null ? null : members.get(memberId);
  }

  public PartitionSet target(String memberId) {
    return targets.getOrDefault(memberId, PartitionSet.EMPTY);
  }

  /** What the patterns of the members match. */
  public SortedMap<String, ConsumerChange.Matches> patterns() {
    return Collections.unmodifiableSortedMap(patterns);
  }

  /** The member that holds the partition; null if it is free. */
  public @Nullable String holder(Uuid topicId, int partition) {
    TreeMap<Integer, String> held = holders.get(topicId);
    return held == null ? null : held.get(partition);
  }

  /** The names of the topics that the member subscribes to, in one way or the other. */
  public SortedSet<String> topicsOf(MemberMetadata member) {
    ConsumerChange.Matches matches =
        member.topicRegex() == null ? null : patterns.get(member.topicRegex());
    if (matches == null) {
      return member.topicNames();
    }
    SortedSet<String> both = new TreeSet<>(member.topicNames());
    both.addAll(matches.topics());
    return both;
  }

  /** The names of the topics that anybody subscribes to. */
  public SortedSet<String> subscribedTopics() {
    SortedSet<String> names = new TreeSet<>();
    for (ConsumerMember member : members.values()) {
      names.addAll(topicsOf(member.metadata()));
    }
    return names;
  }

  /** What one record says. */
  public void apply(ConsumerChange change) {
    if (change instanceof ConsumerChange.Group group) {
      onGroup(group.epoch());
    } else if (change instanceof ConsumerChange.Member member) {
      onMember(member.memberId(), member.metadata());
    } else if (change instanceof ConsumerChange.TargetsMade made) {
      ConsumerChange.Targets all = made.targets();
      targetEpoch = all == null ? 0 : all.epoch();
      targetMadeMs = all == null ? 0 : all.madeMs();
    } else if (change instanceof ConsumerChange.Target target) {
      put(targets, target.memberId(), target.partitions());
    } else if (change instanceof ConsumerChange.Progress progress) {
      onProgress(progress.memberId(), progress.progress());
    } else if (change instanceof ConsumerChange.Pattern pattern) {
      put(patterns, pattern.regex(), pattern.matches());
    }
  }

  private static <V> void put(TreeMap<String, V> map, String key, @Nullable V value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }

  private void onGroup(ConsumerChange.@Nullable Epoch next) {
    exists = next != null;
    epoch = next == null ? 0 : next.number();
    topicsHash = next == null ? 0 : next.topicsHash();
  }

  private void onMember(String memberId, @Nullable MemberMetadata metadata) {
    ConsumerMember before = members.get(memberId);
    if (before != null && before.instanceId() != null) {
      staticIds.remove(before.instanceId(), memberId);
    }
    if (metadata == null) {
      if (before != null) {
        release(before);
        members.remove(memberId);
      }
      return;
    }
    MemberProgress progress = before == null ? MemberProgress.NEW : before.progress();
    members.put(memberId, new ConsumerMember(memberId, metadata, progress));
    if (metadata.instanceId() != null) {
      staticIds.put(metadata.instanceId(), memberId);
    }
  }

  private void onProgress(String memberId, @Nullable MemberProgress progress) {
    ConsumerMember before = members.get(memberId);
    if (before == null) {
      // A member's end is logged in three records, in any order.
      if (progress == null) {
        return;
      }
      before = ConsumerMember.fresh(memberId);
    }
    release(before);
    ConsumerMember after =
        new ConsumerMember(
            memberId, before.metadata(), progress == null ? MemberProgress.NEW : progress);
    members.put(memberId, after);
    after
        .holds()
        .forEach(
            (topicId, partition, since) ->
                holders
                    .computeIfAbsent(topicId, unused -> new TreeMap<>())
                    .put(partition, memberId));
  }

  private void release(ConsumerMember member) {
    member
        .holds()
        .forEach(
            (topicId, partition, since) -> {
              TreeMap<Integer, String> held = holders.get(topicId);
              if (held != null) {
                held.remove(partition, member.id());
              }
            });
  }
}
