package io.fencepost.txn.group;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Entry;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.group.GroupHarness.Box;
import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.ConsumerHeartbeat;
import io.fencepost.txn.group.consumer.ConsumerSettings;
import io.fencepost.txn.group.consumer.ConsumerSettings.MigrationPolicy;
import io.fencepost.txn.group.consumer.GroupTimes;
import io.fencepost.txn.group.consumer.HeartbeatAnswer;
import io.fencepost.txn.group.consumer.PartitionSet;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.Shards;
import io.fencepost.txn.table.MemoryTables;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import io.fencepost.txn.table.Tables;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A group coordinator on one thread under virtual time, with a log that survives it. */
public final class SimGroups {
  static final String TOPIC = "__consumer_offsets";
  static final long RETENTION_MS = 100_000;

  public final SimClock clock = new SimClock();
  final SimEntropy chance;
  private final int assignmentIntervalMs;
  public final SimScheduler scheduler;
  public final SimShardLog log;
  private ClusterState state = ClusterState.empty("c", 1);
  Tables tables = new MemoryTables();
  Shards<GroupShard> shards;
  public GroupCoordinator groups;
  public OffsetCommits commits;
  public ConsumerGroups consumers;
  public ClassicBridge bridge;
  public OffsetRemovals removals;

  public SimGroups(long seed) {
    this(seed, 0);
  }

  SimGroups(long seed, int assignmentIntervalMs) {
    this.assignmentIntervalMs = assignmentIntervalMs;
    chance = new SimEntropy(seed);
    scheduler = new SimScheduler(clock, chance);
    log = new SimShardLog(scheduler);
    start();
  }

  /** A crash: memory is lost, the log stays, and the rows stay or are made again. */
  void restart(boolean keepRows) {
    log.forgetListeners();
    groups.close();
    if (!keepRows) {
      tables = new MemoryTables();
    }
    start();
  }

  private void start() {
    GroupCoordinator[] made = new GroupCoordinator[1];
    shards =
        new Shards<>(
            TOPIC,
            log,
            () -> tables,
            rows -> new GroupShard(rows, GroupLimits.DEFAULT, clock, scheduler::run),
            new ShardRuntime.Environment(clock, scheduler, notice -> {}, Meters.NONE),
            runtime -> {
              made[0].onServing(runtime);
              consumers.onServing(runtime);
            });
    groups = new GroupCoordinator(shards, clock, scheduler, chance);
    made[0] = groups;
    commits = new OffsetCommits(groups, this::cluster);
    removals = new OffsetRemovals(groups);
    consumers =
        new ConsumerGroups(
            groups,
            new ConsumerGroups.World(this::cluster, clock, scheduler),
            new ConsumerSettings(
                Integer.MAX_VALUE,
                List.of("uniform", "range"),
                MigrationPolicy.BIDIRECTIONAL,
                groupId -> new GroupTimes(45_000, 5_000, assignmentIntervalMs)),
            GroupLimits.DEFAULT);
    bridge = new ClassicBridge(consumers);
    runtime().warmUp();
  }

  private ClusterState cluster() {
    return state;
  }

  /** Makes the topic, or gives it another number of partitions. */
  void topic(String name, int partitionCount) {
    Uuid id = new Uuid(1, name.hashCode());
    List<PartitionState> partitions = new ArrayList<>();
    for (int i = 0; i < partitionCount; i++) {
      partitions.add(new PartitionState(i, 1, 0, List.of(1), List.of(1)));
    }
    state = state.withTopics(List.of(new TopicState(name, id, false, partitions, new TreeMap<>())));
  }

  ShardRuntime<GroupShard> runtime() {
    return shards.all().get(0);
  }

  Box<WireError> commit(String group, String memberId, int generation, long offset) {
    return commit(group, memberId, generation, offset, null);
  }

  Box<WireError> commit(
      String group, String memberId, int generation, long offset, @Nullable Transaction txn) {
    Box<WireError> box = new Box<>();
    commits.commit(
        new CommitCommand(
            group,
            new MemberIdentity(memberId, null),
            generation,
            txn,
            List.of(new Entry(new TopicPartition("t", 0), offset, 1, "m", -1)),
            true,
            WireError.ILLEGAL_GENERATION),
        box::set);
    return box;
  }

  /** A heartbeat of the newer protocol; epoch 0 joins and subscribes to topic t. */
  Box<HeartbeatAnswer> beat(String group, String memberId, int epoch) {
    return beat(group, memberId, epoch, null);
  }

  Box<HeartbeatAnswer> beat(
      String group, String memberId, int epoch, @Nullable PartitionSet owned) {
    Box<HeartbeatAnswer> box = new Box<>();
    boolean isJoin = epoch == 0;
    consumers.heartbeat(
        group,
        new ConsumerHeartbeat(
            memberId,
            epoch,
            null,
            null,
            isJoin ? 60_000 : -1,
            "c",
            "/h",
            isJoin ? new TreeSet<>(List.of("t")) : null,
            null,
            null,
            isJoin ? PartitionSet.EMPTY : owned),
        box::set);
    return box;
  }

  /** State and members of a group of the newer protocol, as text. */
  String describe(String group) {
    String[] seen = new String[1];
    groups.read(
        group,
        shard -> {
          ConsumerGroup found = shard.findConsumer(group);
          return found == null
              ? "none"
              : found.state()
                  + " "
                  + found.epoch()
                  + " "
                  + found.members().stream().map(m -> m.id() + "@" + m.epoch()).toList();
        },
        text -> seen[0] = text,
        error -> seen[0] = error.name());
    return seen[0];
  }

  /** The answer of a fetch, as text. */
  String fetch(String group, boolean requireStable) {
    String[] seen = new String[1];
    groups.read(
        group,
        shard -> new OffsetRule(shard.offsets(), requireStable).one(group, "t", 0),
        fetched ->
            seen[0] =
                fetched.error() == WireError.NONE
                    ? Long.toString(fetched.offset())
                    : fetched.error().name(),
        error -> seen[0] = error.name());
    return seen[0];
  }

  Box<JoinResult> join(String group, String memberId) {
    Box<JoinResult> box = new Box<>();
    JoinCommand command =
        new JoinCommand(
            new MemberIdentity(memberId, null),
            groups.freshMemberId("c"),
            new ClientOrigin("c", "/h"),
            "consumer",
            List.of(new GroupProtocol("range", new byte[] {1})),
            new Timeouts(10_000, 20_000),
            false,
            true);
    groups.step(
        group,
        (shard, now, out) -> shard.open(group).join(command, box::set, now, out),
        error -> box.set(JoinResult.refused(error, memberId)));
    return box;
  }

  Box<SyncResult> sync(String group, String memberId, int generation) {
    Box<SyncResult> box = new Box<>();
    SyncCommand command =
        new SyncCommand(
            new MemberIdentity(memberId, null), generation, null, null, new TreeMap<>());
    groups.step(
        group,
        (shard, now, out) -> {
          ClassicGroup found = shard.findKnown(group);
          if (found == null) {
            out.answer(() -> box.set(SyncResult.refused(WireError.UNKNOWN_MEMBER_ID)));
          } else {
            found.sync(command, box::set, now, out);
          }
        },
        error -> box.set(SyncResult.refused(error)));
    return box;
  }

  WireError heartbeat(String group, String memberId, int generation) {
    WireError[] seen = new WireError[1];
    groups.step(
        group,
        (shard, now, out) -> {
          ClassicGroup found = shard.find(group);
          WireError error =
              found == null
                  ? WireError.UNKNOWN_MEMBER_ID
                  : found.heartbeat(new MemberIdentity(memberId, null), generation, now);
          out.answer(() -> seen[0] = error);
        },
        error -> seen[0] = error);
    return seen[0];
  }

  Box<WireError> leave(String group, String memberId) {
    Box<WireError> box = new Box<>();
    groups.step(
        group,
        (shard, now, out) -> {
          ClassicGroup found = shard.find(group);
          WireError error =
              found == null
                  ? WireError.UNKNOWN_MEMBER_ID
                  : found.leave(new MemberIdentity(memberId, null), now, out);
          out.answer(() -> box.set(error));
        },
        box::set);
    return box;
  }

  @Nullable GroupState state(String group) {
    List<@Nullable GroupState> seen = new ArrayList<>();
    groups.read(
        group,
        shard -> {
          ClassicGroup found = shard.findKnown(group);
          seen.add(found == null ? null : found.state());
          return shard;
        },
        shard -> {},
        error -> seen.add(null));
    return seen.get(0);
  }

  /** All rows of the shard, comparable. */
  SortedMap<String, String> rows() {
    SortedMap<String, String> rows = new TreeMap<>();
    ShardTables view = new ShardTables(tables, new TopicPartition(TOPIC, 0), log.topicId());
    for (Table table : List.of(Table.GROUPS, Table.COMMITTED_OFFSETS, Table.STAGED_OFFSETS)) {
      view.scan(
          table,
          new byte[0],
          (key, value) -> {
            Base64.Encoder text = Base64.getEncoder();
            rows.put(table + text.encodeToString(key), text.encodeToString(value));
            return true;
          });
    }
    return rows;
  }
}
