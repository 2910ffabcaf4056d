package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Entry;
import io.fencepost.txn.group.GroupHarness.Box;
import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import io.fencepost.txn.shard.ShardRuntime;
import io.fencepost.txn.shard.Shards;
import io.fencepost.txn.shard.SimPartition;
import io.fencepost.txn.table.MemoryTables;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two group coordinators of the same groups, of which one leads, under virtual time. */
class GroupFailoverTest {
  private final SimClock clock = new SimClock();
  private final SimEntropy chance = new SimEntropy(1);
  private final SimScheduler scheduler = new SimScheduler(clock, chance);
  private final SimPartition log = new SimPartition(scheduler, 2);
  private final ClusterState cluster = ClusterState.empty("c", 1);
  private final List<GroupCoordinator> coordinators = new ArrayList<>();

  @BeforeEach
  void start() {
    for (int i = 0; i < 2; i++) {
      MemoryTables rows = new MemoryTables();
      Shards<GroupShard> shards =
          new Shards<>(
              SimGroups.TOPIC,
              log.at(i),
              () -> rows,
              tables -> new GroupShard(tables, GroupLimits.DEFAULT, clock, scheduler::run),
              new ShardRuntime.Environment(clock, scheduler, notice -> {}, Meters.NONE),
              runtime -> coordinators.forEach(groups -> wake(groups, runtime)));
      coordinators.add(new GroupCoordinator(shards, clock, scheduler, chance));
    }
    elect(0);
    scheduler.runFor(10);
  }

  private static void wake(GroupCoordinator groups, ShardRuntime<GroupShard> runtime) {
    if (groups.serving().contains(runtime)) {
      groups.onServing(runtime);
    }
  }

  private void elect(int broker) {
    log.elect(broker);
    coordinators.forEach(GroupCoordinator::refreshSoon);
  }

  private Box<JoinResult> join(int broker, String group, String memberId) {
    GroupCoordinator groups = coordinators.get(broker);
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

  private Box<SyncResult> sync(int broker, String group, String memberId) {
    Box<SyncResult> box = new Box<>();
    TreeMap<String, byte[]> assignments = new TreeMap<>();
    assignments.put(memberId, new byte[] {1});
    SyncCommand command =
        new SyncCommand(new MemberIdentity(memberId, null), 1, null, null, assignments);
    coordinators
        .get(broker)
        .step(
            group,
            (shard, now, out) -> shard.open(group).sync(command, box::set, now, out),
            error -> box.set(SyncResult.refused(error)));
    return box;
  }

  private WireError heartbeat(int broker, String group, String memberId) {
    Box<WireError> box = new Box<>();
    coordinators
        .get(broker)
        .step(
            group,
            (shard, now, out) -> {
              ClassicGroup found = shard.find(group);
              WireError error =
                  found == null
                      ? WireError.UNKNOWN_MEMBER_ID
                      : found.heartbeat(new MemberIdentity(memberId, null), 1, now);
              out.answer(() -> box.set(error));
            },
            box::set);
    return box.get();
  }

  private Box<WireError> commit(int broker, String group, long offset) {
    Box<WireError> box = new Box<>();
    new OffsetCommits(coordinators.get(broker), () -> cluster)
        .commit(
            new CommitCommand(
                group,
                new MemberIdentity("", null),
                -1,
                null,
                List.of(new Entry(new TopicPartition("t", 0), offset, 1, "m", -1)),
                true,
                WireError.ILLEGAL_GENERATION),
            box::set);
    return box;
  }

  /** A stable group of one, led by broker 0. */
  private String stable(String group) {
    Box<JoinResult> joined = join(0, group, "");
    scheduler.runFor(4_000);
    String member = joined.get().memberId();
    Box<SyncResult> synced = sync(0, group, member);
    scheduler.runFor(10);
    assertThat(synced.get().error()).isEqualTo(WireError.NONE);
    return member;
  }

  @Test
  void members_go_on_with_the_next_leader_in_their_generation() {
    String member = stable("g");
    elect(1);
    assertThat(heartbeat(1, "g", member)).isEqualTo(WireError.NONE);
    assertThat(heartbeat(0, "g", member)).isEqualTo(WireError.NOT_COORDINATOR);
    scheduler.runFor(9_000);
    assertThat(heartbeat(1, "g", member)).isEqualTo(WireError.NONE);
    scheduler.runFor(11_000);
    assertThat(heartbeat(1, "g", member)).as("silent").isEqualTo(WireError.UNKNOWN_MEMBER_ID);
  }

  @Test
  void sessions_run_at_the_next_leader_whether_anybody_asks_or_not() {
    List<String> members = new ArrayList<>();
    for (int i = 0; i < 450; i++) {
      members.add(stable("g" + i));
      if (i % 2 == 0) {
        // They live through the making of the others only by their heartbeats.
        for (int j = 0; j <= i; j++) {
          heartbeat(0, "g" + j, members.get(j));
        }
      }
    }
    elect(1);
    scheduler.runFor(100);
    assertThat(coordinators.get(1).countLive()).containsEntry("Stable", 450);
    scheduler.runFor(15_000);
    assertThat(coordinators.get(1).countLive()).containsEntry("Stable", 0);
    assertThat(coordinators.get(0).serving()).isEmpty();
  }

  @Test
  void who_waits_for_a_group_is_sent_to_the_next_leader() {
    stable("g");
    Box<JoinResult> parked = join(0, "g", "");
    scheduler.runFor(10);
    assertThat(parked.isWaiting()).as("until the other one joins again").isTrue();
    elect(1);
    scheduler.runFor(10);
    assertThat(parked.get().error()).isEqualTo(WireError.NOT_COORDINATOR);
    assertThat(coordinators.get(1).countLive())
        .as("of the newcomer the log knows nothing")
        .containsEntry("Stable", 1);
  }

  @Test
  void a_sync_in_flight_is_answered_once_and_counts_or_not_by_the_log() {
    Box<JoinResult> joined = join(0, "g", "");
    scheduler.runFor(4_000);
    String member = joined.get().memberId();
    log.freeze();
    Box<SyncResult> synced = sync(0, "g", member);
    elect(1);
    elect(0);
    log.flow();
    scheduler.runFor(10);
    assertThat(synced.get().error()).isEqualTo(WireError.NOT_COORDINATOR);
    assertThat(heartbeat(0, "g", member)).as("it was in the log").isEqualTo(WireError.NONE);
  }

  @Test
  void a_commit_in_flight_is_answered_once_and_the_next_leader_has_what_was_acknowledged() {
    Box<WireError> first = commit(0, "g", 5);
    scheduler.runFor(10);
    assertThat(first.get()).isEqualTo(WireError.NONE);
    log.freeze();
    Box<WireError> second = commit(0, "g", 6);
    elect(1);
    log.flow();
    scheduler.runFor(10);
    assertThat(second.get()).isEqualTo(WireError.NOT_COORDINATOR);
    long[] seen = {-1};
    coordinators
        .get(1)
        .read(
            "g",
            shard -> new OffsetRule(shard.offsets(), true).one("g", "t", 0),
            fetched -> seen[0] = fetched.offset(),
            error -> {});
    assertThat(seen[0]).isEqualTo(5);
  }
}
