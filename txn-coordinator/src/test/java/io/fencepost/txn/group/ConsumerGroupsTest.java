package io.fencepost.txn.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.CommitCommand.Transaction;
import io.fencepost.txn.group.GroupHarness.Box;
import io.fencepost.txn.group.consumer.HeartbeatAnswer;
import io.fencepost.txn.group.consumer.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups of the newer protocol over a log, under virtual time. */
class ConsumerGroupsTest {
  private static final long SESSION_MS = 45_000;

  private SimGroups sim = new SimGroups(7);

  @BeforeEach
  void createTopic() {
    sim.topic("t", 4);
  }

  /** A heartbeat, and its answer. */
  private HeartbeatAnswer beat(String memberId, int epoch) {
    Box<HeartbeatAnswer> box = sim.beat("g", memberId, epoch);
    sim.scheduler.runFor(5);
    return box.get();
  }

  @Test
  void a_change_is_answered_when_it_is_durable_and_the_rest_at_once() {
    Box<HeartbeatAnswer> joined = sim.beat("g", "a", 0);
    assertThat(joined.isWaiting()).isTrue();
    sim.scheduler.runFor(5);
    assertThat(joined.get().assignment().size()).isEqualTo(4);
    assertThat(sim.beat("g", "a", 2).get().error()).isEqualTo(WireError.NONE);
    assertThat(sim.describe("g")).isEqualTo("STABLE 2 [a@2]");
  }

  @Test
  void nobody_waits_for_a_share_because_the_clock_was_set_back() {
    sim = new SimGroups(7, 1_000);
    sim.topic("t", 4);
    beat("a", 0);
    sim.scheduler.runFor(2_000);
    sim.clock.stepWallMs(-600_000);
    beat("b", 0);
    assertThat(beat("a", 2).assignment().size()).isEqualTo(2);
  }

  @Test
  void groups_are_counted_by_their_state() {
    assertThat(sim.groups.countLive().values()).containsOnly(0);
    beat("a", 0);
    sim.join("classic", "");
    assertThat(sim.groups.countLive())
        .containsEntry("Stable", 1)
        .containsEntry("CompletingRebalance", 1);
    beat("b", 0);
    assertThat(sim.groups.countLive()).containsEntry("Stable", 0).containsEntry("Reconciling", 1);
    sim.scheduler.runFor(SESSION_MS + 60_000);
    assertThat(sim.groups.countLive().values()).containsOnly(0);
  }

  @Test
  void a_restart_finds_the_group_with_rows_and_without() {
    beat("a", 0);
    beat("b", 0);
    String before = sim.describe("g");
    for (boolean keepRows : new boolean[] {true, false, true}) {
      sim.restart(keepRows);
      assertThat(sim.describe("g")).isEqualTo(before);
    }
    assertThat(beat("a", 2).assignment().size()).isEqualTo(2);
    assertThat(beat("nobody", 2).error()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
  }

  @Test
  void who_is_silent_for_a_session_is_out_also_after_a_restart() {
    beat("a", 0);
    beat("b", 0);
    sim.scheduler.runFor(SESSION_MS - 1_000);
    beat("b", 3);
    sim.scheduler.runFor(2_000);
    assertThat(sim.describe("g")).contains("[b@3]");
    sim.restart(true);
    sim.scheduler.runFor(SESSION_MS - 1_000);
    assertThat(sim.describe("g")).contains("b@");
    sim.scheduler.runFor(2_000);
    assertThat(sim.describe("g")).startsWith("EMPTY");
  }

  @Test
  void who_does_not_give_up_in_time_is_out_though_it_sends_heartbeats() {
    beat("a", 0);
    beat("b", 0);
    beat("a", 2);
    int epoch = 3;
    for (int i = 0; i < 7; i++) {
      sim.scheduler.runFor(10_000);
      beat("a", 2);
      epoch = beat("b", epoch).memberEpoch();
    }
    assertThat(beat("a", 2).error()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(sim.describe("g")).isEqualTo("STABLE 4 [b@4]");
  }

  @Test
  void a_commit_that_comes_while_its_member_is_being_thrown_out_is_too_late() {
    beat("a", 0);
    Box<HeartbeatAnswer> left = sim.beat("g", "a", -1);
    Transaction transaction = new Transaction(9, (short) 0);
    Box<WireError> staged = sim.commit("g", "a", 2, 5, transaction);
    Box<WireError> plain = sim.commit("g", "a", 2, 5);
    sim.scheduler.runFor(5);
    assertThat(left.get().error()).isEqualTo(WireError.NONE);
    assertThat(staged.get()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(plain.get()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
  }

  @Test
  void an_older_epoch_commits_what_it_had_all_the_time() {
    beat("a", 0);
    beat("b", 0);
    PartitionSet kept = beat("a", 2).assignment();
    Box<HeartbeatAnswer> revoked = sim.beat("g", "a", 2, kept);
    sim.scheduler.runFor(5);
    assertThat(revoked.get().memberEpoch()).isEqualTo(3);
    beat("b", 3);
    boolean keepsFirst = kept.of(kept.topicIds().iterator().next()).contains(0);
    Box<WireError> late = sim.commit("g", "a", 2, 5);
    Box<WireError> future = sim.commit("g", "a", 4, 5);
    sim.scheduler.runFor(5);
    assertThat(late.get()).isEqualTo(keepsFirst ? WireError.NONE : WireError.STALE_MEMBER_EPOCH);
    assertThat(future.get()).isEqualTo(WireError.STALE_MEMBER_EPOCH);
    Box<WireError> early = sim.commit("g", "b", 2, 5);
    sim.scheduler.runFor(5);
    assertThat(early.get()).as("b had nothing then").isEqualTo(WireError.STALE_MEMBER_EPOCH);
  }

  @Test
  void a_join_that_could_not_be_logged_says_so_and_leaves_nothing() {
    sim.log.failure = WireError.NOT_ENOUGH_REPLICAS;
    assertThat(beat("a", 0).error()).isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    sim.log.failure = WireError.NONE;
    assertThat(sim.describe("g")).isEqualTo("none");
    assertThat(sim.commit("g", "", -1, 1).isWaiting()).as("the group is free").isTrue();
    assertThat(beat("a", 0).memberEpoch()).isEqualTo(2);
  }

  @Test
  void an_empty_group_goes_when_its_offsets_have_expired() {
    beat("a", 0);
    sim.commit("g", "a", 2, 5);
    sim.scheduler.runFor(5);
    sim.scheduler.runFor(SimGroups.RETENTION_MS + 1_000);
    assertThat(sim.describe("g")).startsWith("EMPTY");
    sim.removals.expire(sim.runtime(), SimGroups.RETENTION_MS);
    sim.scheduler.runFor(20);
    assertThat(sim.fetch("g", true)).isEqualTo("-1");
    assertThat(sim.describe("g")).isEqualTo("none");
    sim.restart(false);
    assertThat(sim.describe("g")).isEqualTo("none");
  }

  @Test
  void offsets_of_topics_in_use_do_not_expire() {
    beat("a", 0);
    sim.commit("g", "a", 2, 5);
    for (int i = 0; i < 20; i++) {
      sim.scheduler.runFor(10_000);
      beat("a", 2);
    }
    sim.removals.expire(sim.runtime(), SimGroups.RETENTION_MS);
    sim.scheduler.runFor(20);
    assertThat(sim.fetch("g", true)).isEqualTo("5");
  }

  @Test
  void a_group_without_members_can_be_deleted() {
    beat("a", 0);
    List<WireError> answers = new ArrayList<>();
    sim.removals.deleteGroup("g", answers::add);
    beat("a", -1);
    sim.removals.deleteGroup("g", answers::add);
    sim.scheduler.runFor(5);
    sim.removals.deleteGroup("g", answers::add);
    sim.scheduler.runFor(5);
    assertThat(answers)
        .containsExactly(WireError.NON_EMPTY_GROUP, WireError.NONE, WireError.GROUP_ID_NOT_FOUND);
  }

  @Test
  void members_that_join_at_once_are_all_in() {
    List<Box<HeartbeatAnswer>> boxes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      boxes.add(sim.beat("g", "m" + i, 0));
    }
    sim.scheduler.runFor(200);
    assertThat(boxes).allMatch(box -> box.get().error() == WireError.NONE);
    assertThat(sim.describe("g")).contains("m19@").contains(" 21 ");
  }
}
