package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.group.GroupHarness.Box;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

class GroupCoordinatorTest {
  private final SimGroups sim = new SimGroups(7);

  @Test
  void a_commit_is_answered_when_it_is_applied_and_survives_a_restart() {
    Box<WireError> committed = sim.commit("g", "", -1, 42);
    assertThat(committed.isWaiting()).isTrue();
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
    sim.scheduler.runFor(5);
    assertThat(committed.get()).isEqualTo(WireError.NONE);
    assertThat(sim.fetch("g", true)).isEqualTo("42");
    sim.restart(true);
    assertThat(sim.fetch("g", true)).isEqualTo("42");
    sim.restart(false);
    assertThat(sim.fetch("g", true)).isEqualTo("42");
    assertThat(sim.state("g")).isEqualTo(GroupState.EMPTY);
    assertThat(sim.state("nobody")).isNull();
  }

  @Test
  void a_commit_that_could_not_be_logged_says_so_and_changes_nothing() {
    sim.log.failure = WireError.NOT_ENOUGH_REPLICAS;
    Box<WireError> committed = sim.commit("g", "", -1, 42);
    sim.scheduler.runFor(5);
    assertThat(committed.get()).isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
  }

  @Test
  void while_the_log_is_read_again_callers_are_told_to_come_back_and_nobody_sees_less() {
    sim.commit("g", "", -1, 42);
    sim.scheduler.runFor(5);
    for (int i = 0; i < 5; i++) {
      ByteBuffer foreign = BatchWriter.at(0).add(0, new byte[2], new byte[900_000]).build();
      sim.log.append(foreign, null, (error, offset) -> {}).run();
    }
    sim.scheduler.runFor(5);
    sim.restart(false);
    assertThat(sim.fetch("g", true)).isEqualTo("COORDINATOR_LOAD_IN_PROGRESS");
    assertThat(sim.heartbeat("g", "m", 1)).isEqualTo(WireError.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(sim.commit("g", "", -1, 7).get()).isEqualTo(WireError.COORDINATOR_LOAD_IN_PROGRESS);
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("42");
  }

  @Test
  void staged_offsets_are_unstable_until_the_marker_and_then_count_at_the_first_try() {
    sim.commit("g", "", -1, 1);
    sim.commit("g", "", -1, 5, new Transaction(9, (short) 0));
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("UNSTABLE_OFFSET_COMMIT");
    assertThat(sim.fetch("g", false)).isEqualTo("1");
    sim.restart(true);
    assertThat(sim.fetch("g", true)).isEqualTo("UNSTABLE_OFFSET_COMMIT");
    sim.log.mark(9, (short) 0, true);
    assertThat(sim.fetch("g", true)).isEqualTo("5");
    sim.commit("g", "", -1, 8, new Transaction(9, (short) 1));
    sim.scheduler.runFor(5);
    sim.log.mark(9, (short) 1, false);
    assertThat(sim.fetch("g", true)).isEqualTo("5");
  }

  @Test
  void a_marker_counts_whatever_the_group_is_doing() {
    String member = stable();
    sim.commit("g", member, 1, 5, new Transaction(9, (short) 0));
    sim.scheduler.runFor(5);
    Box<JoinResult> other = sim.join("g", "");
    assertThat(sim.state("g")).isEqualTo(GroupState.PREPARING_REBALANCE);
    sim.log.mark(9, (short) 0, true);
    assertThat(sim.fetch("g", true)).isEqualTo("5");
    sim.scheduler.runFor(60_000);
    assertThat(other.get().error()).isEqualTo(WireError.NONE);
  }

  @Test
  void a_member_of_an_old_generation_commits_nothing_not_even_in_a_transaction() {
    String member = stable();
    assertThat(sim.commit("g", member, 0, 5).get()).isEqualTo(WireError.ILLEGAL_GENERATION);
    assertThat(sim.commit("g", "ghost", 1, 5, new Transaction(9, (short) 0)).get())
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(sim.commit("new", "m", 3, 5).get()).isEqualTo(WireError.ILLEGAL_GENERATION);
  }

  @Test
  void members_go_on_after_a_restart_and_are_missed_when_they_do_not() {
    String member = stable();
    sim.restart(false);
    assertThat(sim.heartbeat("g", member, 1)).isEqualTo(WireError.NONE);
    assertThat(sim.commit("g", member, 1, 5).isWaiting()).isTrue();
    sim.scheduler.runFor(5);
    sim.restart(true);
    sim.scheduler.runFor(10_100);
    assertThat(sim.heartbeat("g", member, 1)).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(sim.state("g")).isEqualTo(GroupState.EMPTY);
    assertThat(sim.fetch("g", true)).isEqualTo("5");
  }

  @Test
  void whoever_waits_is_answered_when_the_coordinator_stops() {
    String member = stable();
    Box<JoinResult> other = sim.join("g", "");
    sim.groups.close();
    sim.scheduler.runFor(10);
    assertThat(other.get().error()).isEqualTo(WireError.NOT_COORDINATOR);
    assertThat(sim.heartbeat("g", member, 1)).isEqualTo(WireError.NOT_COORDINATOR);
  }

  @Test
  void a_deleted_group_is_gone_with_its_staged_offsets() {
    sim.commit("g", "", -1, 1);
    sim.commit("g", "", -1, 5, new Transaction(9, (short) 0));
    sim.scheduler.runFor(5);
    Box<WireError> deleted = new Box<>();
    sim.removals.deleteGroup("g", deleted::set);
    sim.scheduler.runFor(5);
    assertThat(deleted.get()).isEqualTo(WireError.NONE);
    sim.log.mark(9, (short) 0, true);
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
    assertThat(sim.state("g")).isNull();
    stable();
    Box<WireError> refused = new Box<>();
    sim.removals.deleteGroup("g", refused::set);
    assertThat(refused.get()).isEqualTo(WireError.NON_EMPTY_GROUP);
  }

  @Test
  void offsets_go_with_their_topic_but_not_those_of_its_successor() {
    sim.commit("g", "", -1, 1);
    sim.scheduler.runFor(5);
    sim.removals.dropTopic(sim.runtime(), "t", 1, Long.MAX_VALUE);
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("1");
    long deletedAt = sim.runtime().appliedOffset();
    sim.removals.dropTopic(sim.runtime(), "t", 0, deletedAt);
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
    sim.commit("g", "", -1, 2);
    sim.scheduler.runFor(5);
    sim.removals.dropTopic(sim.runtime(), "t", 0, deletedAt);
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("2");
  }

  @Test
  void unused_offsets_expire_used_and_staged_ones_do_not() {
    String member = stable();
    sim.commit("g", member, 1, 7);
    sim.commit("simple", "", -1, 8);
    sim.commit("staged", "", -1, 9);
    sim.commit("staged", "", -1, 10, new Transaction(3, (short) 0));
    for (long passed = 0; passed <= SimGroups.RETENTION_MS; passed += 5_000) {
      sim.scheduler.runFor(5_000);
      sim.heartbeat("g", member, 1);
    }
    sim.removals.expire(sim.runtime(), SimGroups.RETENTION_MS);
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("7");
    assertThat(sim.fetch("simple", true)).isEqualTo("-1");
    assertThat(sim.state("simple")).isNull();
    assertThat(sim.fetch("staged", false)).isEqualTo("9");
    sim.leave("g", member);
    sim.scheduler.runFor(SimGroups.RETENTION_MS);
    sim.removals.expire(sim.runtime(), SimGroups.RETENTION_MS - 1_000);
    sim.scheduler.runFor(5);
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
    assertThat(sim.state("g")).isNull();
  }

  @Test
  void a_commit_on_its_way_is_not_expired_under_its_feet() {
    sim.commit("g", "", -1, 1);
    sim.scheduler.runFor(SimGroups.RETENTION_MS + 10);
    Box<WireError> second = sim.commit("g", "", -1, 2);
    sim.removals.expire(sim.runtime(), SimGroups.RETENTION_MS);
    sim.scheduler.runFor(5);
    assertThat(second.get()).isEqualTo(WireError.NONE);
    assertThat(sim.fetch("g", true)).isEqualTo("2");
  }

  private String stable() {
    JoinResult joined = sim.join("g", "").get();
    sim.sync("g", joined.memberId(), joined.generation());
    sim.scheduler.runFor(5);
    assertThat(sim.state("g")).isEqualTo(GroupState.STABLE);
    return joined.memberId();
  }

  /** Members that do as they like, on a log that fails now and then, through restarts. */
  @Test
  void every_request_is_answered_once_and_replay_gives_the_same_rows() {
    for (int i = 0; i < 30; i++) {
      long seed = 0xfeedL + i;
      try {
        chaos(seed);
      } catch (AssertionError failure) {
        throw new AssertionError("seed " + seed, failure);
      }
    }
  }

  private static void chaos(long seed) {
    SimGroups sim = new SimGroups(seed);
    List<Box<?>> asked = new ArrayList<>();
    List<Box<JoinResult>> joins = new ArrayList<>();
    for (int step = 0; step < 300; step++) {
      sim.log.failure = sim.chance.oneOf(50) ? WireError.NOT_ENOUGH_REPLICAS : WireError.NONE;
      JoinResult known = null;
      if (!joins.isEmpty()) {
        known = joins.get(sim.chance.nextInt(joins.size())).value;
      }
      String group = "g" + sim.chance.nextInt(2);
      String member = known == null ? "" : known.memberId();
      int generation = known == null ? -1 : known.generation();
      switch (sim.chance.nextInt(9)) {
        case 0, 1 -> joins.add(sim.join(group, sim.chance.oneOf(500) ? "" : member));
        case 2, 3 -> asked.add(sim.sync(group, member, generation));
        case 4 -> sim.heartbeat(group, member, generation);
        case 5 -> asked.add(sim.leave(group, member));
        case 6 -> asked.add(sim.commit(group, member, generation, step));
        case 7 ->
            asked.add(sim.commit(group, member, generation, step, new Transaction(1, (short) 0)));
        default -> sim.log.mark(1, (short) 0, sim.chance.oneOf(500));
      }
      sim.scheduler.runFor(sim.chance.nextInt(sim.chance.oneOf(30) ? 12_000 : 20));
      if (sim.chance.oneOf(10)) {
        sim.scheduler.runFor(50);
        sim.restart(sim.chance.oneOf(500));
      }
    }
    sim.log.failure = WireError.NONE;
    sim.scheduler.runFor(400_000);
    asked.addAll(joins);
    assertThat(asked.stream().filter(Box::isWaiting).count()).as("left waiting").isZero();
    assertThat(sim.state("g0")).isIn(GroupState.EMPTY, null);
    SortedMap<String, String> live = sim.rows();
    sim.restart(false);
    assertThat(sim.rows()).isEqualTo(live);
  }
}
