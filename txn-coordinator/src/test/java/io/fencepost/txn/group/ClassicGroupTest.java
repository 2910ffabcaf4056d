package io.fencepost.txn.group;

import static io.fencepost.txn.group.GroupHarness.SESSION_MS;
import static io.fencepost.txn.group.GroupHarness.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.GroupHarness.Box;
import org.junit.jupiter.api.Test;

class ClassicGroupTest {
  private GroupHarness harness = new GroupHarness();

  @Test
  void a_lone_member_gets_its_assignment_once_it_is_durable() {
    harness.holdWrites = true;
    JoinResult joined = harness.join("").get();
    assertThat(joined.leaderId()).isEqualTo(joined.memberId());
    assertThat(joined.members()).hasSize(1);
    Box<SyncResult> sync = harness.sync(joined.memberId(), 1, joined.memberId());
    assertThat(sync.isWaiting()).isTrue();
    harness.finishWrite(WireError.NONE);
    assertThat(text(sync.get())).isEqualTo("share of " + joined.memberId());
    assertThat(harness.group.state()).isEqualTo(GroupState.STABLE);
    assertThat(harness.written).hasSize(1);
  }

  @Test
  void a_new_dynamic_member_is_told_its_id_first_when_its_version_demands_it() {
    harness.requireKnownMemberId = true;
    JoinResult first = harness.join("").get();
    assertThat(first.error()).isEqualTo(WireError.MEMBER_ID_REQUIRED);
    JoinResult second = harness.join(first.memberId()).get();
    assertThat(second.error()).isEqualTo(WireError.NONE);
    assertThat(second.memberId()).isEqualTo(first.memberId());
  }

  @Test
  void a_rebalance_waits_for_all_and_the_leader_sees_all() {
    String first = harness.stable();
    Box<JoinResult> second = harness.join("");
    assertThat(second.isWaiting()).isTrue();
    assertThat(harness.heartbeat(first, 1)).isEqualTo(WireError.REBALANCE_IN_PROGRESS);
    Box<JoinResult> again = harness.join(first);
    assertThat(again.get().generation()).isEqualTo(2);
    assertThat(again.get().members()).hasSize(2);
    assertThat(second.get().members()).isEmpty();
    assertThat(second.get().leaderId()).isEqualTo(first);
    Box<SyncResult> follower = harness.sync(second.get().memberId(), 2);
    assertThat(follower.isWaiting()).isTrue();
    harness.sync(first, 2, first, second.get().memberId());
    assertThat(text(follower.get())).isEqualTo("share of " + second.get().memberId());
  }

  @Test
  void who_does_not_join_in_time_is_left_out() {
    String first = harness.stable();
    Box<JoinResult> second = harness.join("");
    harness.pass(SESSION_MS - 1);
    harness.heartbeat(first, 1);
    assertThat(second.isWaiting()).isTrue();
    harness.pass(SESSION_MS + 1);
    assertThat(second.get().leaderId()).isEqualTo(second.get().memberId());
    assertThat(harness.heartbeat(first, 1)).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
  }

  @Test
  void a_member_that_keeps_its_session_but_never_rejoins_costs_the_rebalance_timeout() {
    String first = harness.stable();
    Box<JoinResult> second = harness.join("");
    for (int i = 0; i < 7; i++) {
      assertThat(second.isWaiting()).isTrue();
      harness.heartbeat(first, 1);
      harness.pass(9_000);
    }
    assertThat(second.get().error()).isEqualTo(WireError.NONE);
    assertThat(harness.group.roster.size()).isEqualTo(1);
  }

  @Test
  void the_leader_that_joins_again_makes_a_new_generation_and_a_follower_does_not() {
    String first = harness.stable();
    Box<JoinResult> second = harness.join("");
    harness.join(first);
    String follower = second.get().memberId();
    harness.sync(first, 2, first, follower);
    harness.sync(follower, 2);
    assertThat(harness.join(follower).get().generation()).isEqualTo(2);
    assertThat(harness.group.state()).isEqualTo(GroupState.STABLE);
    assertThat(harness.join(first).isWaiting()).isTrue();
    assertThat(harness.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
  }

  @Test
  void the_protocol_most_members_prefer_among_the_shared_ones_wins() {
    GroupHarness three = new GroupHarness(new GroupLimits(100, 6_000, 60_000, 10));
    Box<JoinResult> a = three.join("", "range", "roundrobin", "sticky");
    three.join("", "sticky", "roundrobin");
    three.join("", "sticky", "roundrobin", "range");
    three.pass(200);
    assertThat(a.get().protocol()).isEqualTo("sticky");
    Box<JoinResult> alien = three.join("", "range");
    assertThat(alien.get().error()).isEqualTo(WireError.INCONSISTENT_GROUP_PROTOCOL);
  }

  @Test
  void the_first_rebalance_waits_on_while_members_keep_coming_but_not_for_ever() {
    harness = new GroupHarness(new GroupLimits(3_000, 6_000, 60_000, 100));
    Box<JoinResult> first = harness.join("");
    for (int i = 0; i < 19; i++) {
      harness.pass(2_999);
      harness.join("");
      assertThat(first.isWaiting()).isTrue();
    }
    harness.pass(6_100);
    assertThat(first.get().members()).hasSize(20);
  }

  @Test
  void a_full_group_refuses_one_more() {
    harness = new GroupHarness(new GroupLimits(0, 6_000, 60_000, 1));
    harness.stable();
    JoinResult refused = harness.join("").get();
    assertThat(refused.error()).isEqualTo(WireError.GROUP_MAX_SIZE_REACHED);
    assertThat(refused.memberId()).isEmpty();
  }

  @Test
  void nobody_waits_for_an_id_that_a_full_group_turned_away() {
    harness = new GroupHarness(new GroupLimits(0, 6_000, 60_000, 2));
    String leader = harness.stable();
    harness.requireKnownMemberId = true;
    String late = harness.join("").get().memberId();
    Box<JoinResult> second = harness.join(harness.join("").get().memberId());
    Box<JoinResult> first = harness.join(leader);
    assertThat(first.isWaiting()).isTrue();
    assertThat(harness.join(late).get().error()).isEqualTo(WireError.GROUP_MAX_SIZE_REACHED);
    assertThat(first.get().members()).hasSize(2);
    assertThat(second.get().error()).isEqualTo(WireError.NONE);
  }

  @Test
  void nobody_waits_for_a_member_whose_place_was_taken() {
    harness = new GroupHarness(new GroupLimits(0, 6_000, 60_000, 2));
    String leader = harness.stable();
    Box<JoinResult> second = harness.join("");
    harness.join(leader);
    harness.sync(leader, 2, leader, second.get().memberId());
    Box<JoinResult> first = harness.join(leader);
    Box<JoinResult> newcomer = harness.join("");
    assertThat(harness.join(second.get().memberId()).get().error())
        .isEqualTo(WireError.GROUP_MAX_SIZE_REACHED);
    assertThat(first.get().members()).hasSize(2);
    assertThat(newcomer.get().generation()).isEqualTo(3);
  }

  @Test
  void session_timeouts_out_of_range_are_refused() {
    MemberIdentity nobody = new MemberIdentity("", null);
    assertThat(harness.join(nobody, "consumer", 5_999, "range").get().error())
        .isEqualTo(WireError.INVALID_SESSION_TIMEOUT);
    assertThat(harness.join(nobody, "consumer", 1_800_001, "range").get().error())
        .isEqualTo(WireError.INVALID_SESSION_TIMEOUT);
  }

  @Test
  void a_returning_static_leader_keeps_its_assignment_without_a_rebalance() {
    JoinResult before = harness.joinStatic("i", "").get();
    harness.sync(new MemberIdentity(before.memberId(), "i"), 1, before.memberId());
    JoinResult after = harness.joinStatic("i", "").get();
    assertThat(after.memberId()).isNotEqualTo(before.memberId());
    assertThat(after.generation()).isEqualTo(1);
    assertThat(after.skipAssignment()).isTrue();
    assertThat(after.leaderId()).isEqualTo(after.memberId());
    MemberIdentity returned = new MemberIdentity(after.memberId(), "i");
    assertThat(text(harness.sync(returned, 1).get())).isEqualTo("share of " + before.memberId());
    MemberIdentity ghost = new MemberIdentity(before.memberId(), "i");
    assertThat(harness.group.heartbeat(ghost, 1, harness.now()))
        .isEqualTo(WireError.FENCED_INSTANCE_ID);
  }

  @Test
  void an_old_client_that_returns_as_static_leader_is_not_told_that_it_leads() {
    harness.supportsSkipAssignment = false;
    JoinResult before = harness.joinStatic("i", "").get();
    harness.sync(new MemberIdentity(before.memberId(), "i"), 1, before.memberId());
    JoinResult after = harness.joinStatic("i", "").get();
    assertThat(after.leaderId()).isEqualTo(before.memberId());
    assertThat(after.members()).isEmpty();
  }

  @Test
  void a_static_takeover_that_could_not_be_logged_leaves_the_former_life_in_place() {
    JoinResult before = harness.joinStatic("i", "").get();
    harness.sync(new MemberIdentity(before.memberId(), "i"), 1, before.memberId());
    harness.writeError = WireError.NOT_COORDINATOR;
    assertThat(harness.joinStatic("i", "").get().error()).isEqualTo(WireError.NOT_COORDINATOR);
    MemberIdentity former = new MemberIdentity(before.memberId(), "i");
    assertThat(harness.group.heartbeat(former, 1, harness.now())).isEqualTo(WireError.NONE);
  }

  @Test
  void a_static_member_is_thrown_out_by_its_session_not_by_a_rebalance() {
    JoinResult before = harness.joinStatic("i", "").get();
    MemberIdentity identity = new MemberIdentity(before.memberId(), "i");
    harness.sync(identity, 1, before.memberId());
    Box<JoinResult> other = harness.join("");
    for (int i = 0; i < 7; i++) {
      harness.group.heartbeat(identity, 1, harness.now());
      harness.pass(9_000);
    }
    assertThat(other.get().members()).hasSize(2);
    harness.pass(SESSION_MS);
    assertThat(harness.group.roster.staticMemberId("i")).isNull();
  }

  @Test
  void an_administrator_removes_a_static_member_by_its_instance() {
    harness.joinStatic("i", "");
    assertThat(harness.leave(new MemberIdentity("", "other")))
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(harness.leave(new MemberIdentity("wrong", "i")))
        .isEqualTo(WireError.FENCED_INSTANCE_ID);
    assertThat(harness.leave(new MemberIdentity("", "i"))).isEqualTo(WireError.NONE);
    assertThat(harness.group.state()).isEqualTo(GroupState.EMPTY);
  }

  @Test
  void an_assignment_that_could_not_be_logged_starts_the_rebalance_anew() {
    JoinResult joined = harness.join("").get();
    harness.writeError = WireError.COORDINATOR_NOT_AVAILABLE;
    Box<SyncResult> sync = harness.sync(joined.memberId(), 1, joined.memberId());
    assertThat(sync.get().error()).isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
    assertThat(harness.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
  }

  @Test
  void who_is_late_with_its_sync_is_thrown_out() {
    String first = harness.stable();
    Box<JoinResult> second = harness.join("");
    harness.join(first);
    harness.sync(first, 2, first, second.get().memberId());
    for (int i = 0; i < 7; i++) {
      harness.heartbeat(first, 2);
      harness.heartbeat(second.get().memberId(), 2);
      harness.pass(9_000);
    }
    assertThat(harness.heartbeat(second.get().memberId(), 2))
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(harness.heartbeat(first, 2)).isEqualTo(WireError.REBALANCE_IN_PROGRESS);
  }

  @Test
  void an_id_handed_out_and_never_used_is_forgotten_after_the_session_timeout() {
    harness.requireKnownMemberId = true;
    String id = harness.join("").get().memberId();
    assertThat(harness.group.isIdle()).isFalse();
    harness.pass(SESSION_MS);
    assertThat(harness.group.isIdle()).isTrue();
    assertThat(harness.join(id).get().error()).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
  }

  @Test
  void the_last_member_that_leaves_empties_the_group_and_that_is_logged() {
    String member = harness.stable();
    assertThat(harness.leave(member)).isEqualTo(WireError.NONE);
    assertThat(harness.group.state()).isEqualTo(GroupState.EMPTY);
    assertThat(harness.group.generation()).isEqualTo(2);
    assertThat(harness.written.get(1).members()).isEmpty();
    assertThat(harness.group.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void a_restored_group_goes_on_with_a_heartbeat_and_keeps_assignments() {
    String member = harness.stable();
    harness.group =
        ClassicGroup.restore("g", harness.written.get(0), GroupLimits.DEFAULT, harness.now());
    assertThat(harness.heartbeat(member, 1)).isEqualTo(WireError.NONE);
    assertThat(text(harness.sync(member, 1).get())).isEqualTo("share of " + member);
    harness.pass(SESSION_MS);
    assertThat(harness.group.state()).isEqualTo(GroupState.EMPTY);
  }

  @Test
  void commits_are_checked_against_member_and_generation() {
    String member = harness.stable();
    MemberIdentity right = new MemberIdentity(member, null);
    MemberIdentity unnamed = new MemberIdentity("", null);
    ClassicGroup group = harness.group;
    assertThat(group.checkCommit(right, 1, false)).isEqualTo(WireError.NONE);
    assertThat(group.checkCommit(right, 0, true)).isEqualTo(WireError.ILLEGAL_GENERATION);
    assertThat(group.checkCommit(new MemberIdentity("x", null), 1, true))
        .isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(group.checkCommit(unnamed, -1, false)).isEqualTo(WireError.UNKNOWN_MEMBER_ID);
    assertThat(group.checkCommit(unnamed, -1, true)).isEqualTo(WireError.NONE);
    assertThat(new GroupHarness().group.checkCommit(unnamed, -1, false)).isEqualTo(WireError.NONE);
  }

  @Test
  void no_answer_is_left_behind_when_the_shard_moves_away() {
    String first = harness.stable();
    Box<JoinResult> second = harness.join("");
    harness.die();
    assertThat(second.get().error()).isEqualTo(WireError.NOT_COORDINATOR);
    assertThat(harness.heartbeat(first, 1)).isEqualTo(WireError.COORDINATOR_NOT_AVAILABLE);
  }
}
