package io.fencepost.txn.group.consumer;

import io.fencepost.txn.group.consumer.ConsumerSettings.MigrationPolicy;
import io.fencepost.txn.shard.NewRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A group of the newer protocol on a table: what is decided is logged at once and read back, so
 * that every step also tests the records.
 */
final class GroupTable {
  static final int SESSION_MS = 45_000;
  static final int REBALANCE_MS = 60_000;

  final FakeTopics topics = new FakeTopics();
  final List<NewRecord> log = new ArrayList<>();
  final Heartbeats heartbeats;
  ConsumerGroup group = ConsumerGroup.fresh("g");
  long nowMs = 1_000;

  GroupTable() {
    this(settings(Integer.MAX_VALUE));
  }

  GroupTable(ConsumerSettings settings) {
    this.heartbeats = new Heartbeats(settings);
  }

  static ConsumerSettings settings(int maxSize) {
    return new ConsumerSettings(
        maxSize,
        Assignor.NAMES,
        MigrationPolicy.BIDIRECTIONAL,
        groupId -> new GroupTimes(SESSION_MS, 5_000, 0));
  }

  static SortedSet<String> names(String... names) {
    return new TreeSet<>(List.of(names));
  }

  HeartbeatAnswer join(String memberId, String... topicNames) {
    return send(joining(memberId, null, topicNames));
  }

  static ConsumerHeartbeat joining(
      String memberId, @Nullable String instanceId, String... topicNames) {
    return new ConsumerHeartbeat(
        memberId,
        0,
        instanceId,
        null,
        REBALANCE_MS,
        "client",
        "/host",
        names(topicNames),
        null,
        null,
        PartitionSet.EMPTY);
  }

  HeartbeatAnswer beat(String memberId, int epoch, @Nullable PartitionSet owned) {
    return send(beating(memberId, epoch, null, owned));
  }

  static ConsumerHeartbeat beating(
      String memberId, int epoch, @Nullable String instanceId, @Nullable PartitionSet owned) {
    return new ConsumerHeartbeat(
        memberId, epoch, instanceId, null, -1, "client", "/host", null, null, null, owned);
  }

  /** Of a member that got no answer to the last one. */
  static ConsumerHeartbeat full(
      String memberId, int epoch, @Nullable PartitionSet owned, String... topicNames) {
    return new ConsumerHeartbeat(
        memberId,
        epoch,
        null,
        null,
        REBALANCE_MS,
        "client",
        "/host",
        names(topicNames),
        null,
        null,
        owned);
  }

  HeartbeatAnswer leave(String memberId) {
    return send(beating(memberId, -1, null, null));
  }

  HeartbeatAnswer send(ConsumerHeartbeat command) {
    Draft draft = new Draft(group);
    HeartbeatAnswer answer =
        command.isLeave()
            ? heartbeats.leave(draft, command, topics)
            : heartbeats.beat(draft, command, command.memberId(), topics, true, nowMs);
    commit(draft);
    return answer;
  }

  void remove(String... memberIds) {
    Draft draft = new Draft(group);
    heartbeats.remove(draft, List.of(memberIds), topics);
    commit(draft);
  }

  void commit(Draft draft) {
    for (ConsumerChange change : draft.changes()) {
      NewRecord logged = ConsumerCodec.record("g", change);
      log.add(logged);
      group.apply(read(logged));
    }
  }

  private static ConsumerChange read(NewRecord logged) {
    ByteBuffer key = ByteBuffer.wrap(logged.key());
    short type = key.getShort();
    byte[] value = logged.value();
    return ConsumerCodec.read(type, key, value == null ? null : ByteBuffer.wrap(value)).change();
  }

  /** The group as a broker that starts finds it. */
  ConsumerGroup replayed() {
    ConsumerGroup again = new ConsumerGroup("g");
    log.forEach(logged -> again.apply(read(logged)));
    return again;
  }
}
