package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Groups of several members of the classic protocol: who waits for whom, and who is told what. */
interface RebalanceAnswers extends Asked {
  private Crew crew() {
    return new Crew(this::connect);
  }

  @Test
  default void the_leader_hears_of_all_members_and_the_others_of_none() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      ClassicMember c = crew.member();
      assertThat(crew.gather(a, b, c))
          .map(GroupTalk.Joined::toString)
          .containsExactly(
              "NONE generation 2 consumer/range leads true skips false members 3",
              "NONE generation 2 consumer/range leads false skips false members 0",
              "NONE generation 2 consumer/range leads false skips false members 0");
      ClassicMember.Wait<String> early = b.syncing();
      crew.await("CompletingRebalance 3");
      assertThat(a.beat()).isEqualTo("NONE");
      assertThat(a.commit()).isEqualTo("REBALANCE_IN_PROGRESS");
      assertThat(a.sync(a, b)).isEqualTo("share [1]");
      assertThat(early.get()).isEqualTo("share [2]");
      assertThat(c.sync()).as("forgotten by the leader").isEqualTo("share []");
      assertThat(b.sync(b)).as("not its business").isEqualTo("share [2]");
      assertThat(crew.state()).isEqualTo("Stable 3");
    }
  }

  @Test
  default void members_are_called_together_when_one_more_comes() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      crew.form(a, b);
      ClassicMember c = crew.member();
      ClassicMember.Wait<GroupTalk.Joined> coming = c.joining();
      crew.await("PreparingRebalance 3");
      assertThat(a.beat()).isEqualTo("REBALANCE_IN_PROGRESS");
      assertThat(b.sync()).isEqualTo("REBALANCE_IN_PROGRESS");
      assertThat(b.commit()).as("of what it still has").isEqualTo("NONE");
      ClassicMember.Wait<GroupTalk.Joined> again = a.joining();
      assertThat(b.join().generation()).isEqualTo(3);
      assertThat(coming.get().leads()).isFalse();
      assertThat(again.get().leads()).isTrue();
      b.generation = 2;
      assertThat(b.commit()).isEqualTo("ILLEGAL_GENERATION");
      assertThat(b.beat()).isEqualTo("ILLEGAL_GENERATION");
      assertThat(b.sync()).isEqualTo("ILLEGAL_GENERATION");
    }
  }

  @Test
  default void a_follower_that_joins_again_is_told_the_same_unless_it_wants_something_else() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      crew.form(a, b);
      assertThat(b.join())
          .hasToString("NONE generation 2 consumer/range leads false skips false members 0");
      assertThat(crew.state()).isEqualTo("Stable 2");
      b.topic = "another";
      ClassicMember.Wait<GroupTalk.Joined> changed = b.joining();
      crew.await("PreparingRebalance 2");
      assertThat(a.join().generation()).isEqualTo(3);
      assertThat(changed.get().generation()).isEqualTo(3);
      assertThat(b.join().generation()).as("before the sync").isEqualTo(3);
      assertThat(a.join())
          .as("the leader, too")
          .hasToString("NONE generation 3 consumer/range leads true skips false members 2");
      ClassicMember.Wait<String> waiting = a.syncing();
      assertThat(waiting.get()).isEqualTo("share []");
      ClassicMember.Wait<GroupTalk.Joined> leader = a.joining();
      crew.await("PreparingRebalance 2");
      assertThat(b.join().generation()).isEqualTo(4);
      assertThat(leader.get().members()).isEqualTo(2);
    }
  }

  @Test
  default void who_waits_for_the_leaders_sync_is_called_to_join_when_the_group_changes_again() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      crew.gather(a, b);
      ClassicMember.Wait<String> waiting = b.syncing();
      ClassicMember c = crew.member();
      assertThat(c.askForId().error()).isEqualTo("MEMBER_ID_REQUIRED");
      ClassicMember.Wait<GroupTalk.Joined> coming = c.joining();
      assertThat(waiting.get()).isEqualTo("REBALANCE_IN_PROGRESS");
      assertThat(b.leave()).isEqualTo("NONE [NONE]");
      assertThat(a.join().generation()).isEqualTo(3);
      assertThat(coming.get().generation()).isEqualTo(3);
    }
  }

  @Test
  default void who_does_not_join_within_the_rebalance_timeout_is_out_and_another_leads() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      a.rebalanceMs = Crew.SHORT_MS;
      b.rebalanceMs = Crew.SHORT_MS;
      crew.form(a, b);
      b.topic = "another";
      assertThat(b.join())
          .hasToString("NONE generation 3 consumer/range leads true skips false members 1");
      assertThat(a.beat()).isEqualTo("UNKNOWN_MEMBER_ID");
      assertThat(a.join().error()).isEqualTo("UNKNOWN_MEMBER_ID");
    }
  }

  @Test
  default void who_does_not_sync_within_the_rebalance_timeout_is_out() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      a.rebalanceMs = Crew.SHORT_MS;
      b.rebalanceMs = Crew.SHORT_MS;
      crew.gather(a, b);
      assertThat(b.sync()).as("the leader is silent").isEqualTo("REBALANCE_IN_PROGRESS");
      assertThat(a.beat()).isEqualTo("UNKNOWN_MEMBER_ID");
      assertThat(b.join().leads()).isTrue();
      assertThat(crew.state()).isEqualTo("CompletingRebalance 1");
    }
  }

  @Test
  default void who_is_silent_for_its_session_is_out_and_the_others_are_called() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      b.sessionMs = Crew.SHORT_MS;
      crew.form(a, b);
      crew.await("PreparingRebalance 1");
      assertThat(b.beat()).isEqualTo("UNKNOWN_MEMBER_ID");
      assertThat(b.commit()).isEqualTo("UNKNOWN_MEMBER_ID");
      assertThat(a.beat()).isEqualTo("REBALANCE_IN_PROGRESS");
      assertThat(a.join().members()).isEqualTo(1);
    }
  }

  @Test
  default void a_session_stands_still_while_its_member_waits() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      ClassicMember c = crew.member();
      a.sessionMs = Crew.SHORT_MS;
      c.sessionMs = Crew.SHORT_MS;
      crew.form(a, b);
      ClassicMember.Wait<GroupTalk.Joined> waiting = a.joining();
      crew.await("PreparingRebalance 2");
      assertThat(c.askForId().error()).isEqualTo("MEMBER_ID_REQUIRED");
      String pending = c.id;
      TxnTalk.until(() -> pendingIsGone(crew, pending), "UNKNOWN_MEMBER_ID"::equals);
      assertThat(waiting.isOn()).as("though its session is as long as that of the id").isTrue();
      assertThat(b.join().generation()).isEqualTo(3);
      assertThat(waiting.get().error()).isEqualTo("NONE");
    }
  }

  private String pendingIsGone(Crew crew, String memberId) {
    return new GroupTalk(crew.onlooker).heartbeat(crew.group, memberId, null, 2);
  }

  @Test
  default void a_rebalance_waits_for_an_id_that_was_handed_out_until_its_session_is_over() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      crew.form(a);
      assertThat(b.askForId().error()).isEqualTo("MEMBER_ID_REQUIRED");
      ClassicMember.Wait<GroupTalk.Joined> leader = a.joining();
      crew.await("PreparingRebalance 1");
      assertThat(b.join().generation()).isEqualTo(2);
      assertThat(leader.get().members()).isEqualTo(2);
      a.sync(a, b);
      ClassicMember c = crew.member();
      c.sessionMs = Crew.SHORT_MS;
      c.askForId();
      assertThat(b.leave()).isEqualTo("NONE [NONE]");
      assertThat(a.join().generation()).isEqualTo(3);
      assertThat(c.join().error()).isEqualTo("UNKNOWN_MEMBER_ID");
    }
  }

  @Test
  default void who_leaves_while_it_waits_is_answered_and_the_rest_goes_on() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      crew.form(a);
      assertThat(b.askForId().error()).isEqualTo("MEMBER_ID_REQUIRED");
      ClassicMember.Wait<GroupTalk.Joined> coming = b.joining();
      crew.await("PreparingRebalance 2");
      String left = new GroupTalk(crew.onlooker).leave(crew.group, b.id, null);
      assertThat(left).isEqualTo("NONE [NONE]");
      assertThat(a.join().generation()).isEqualTo(2);
      assertThat(coming.get().error()).isEqualTo("UNKNOWN_MEMBER_ID");
    }
  }

  @Test
  default void a_full_group_lets_nobody_else_in() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      ClassicMember c = crew.named("c");
      ClassicMember late = crew.member();
      a.rebalanceMs = Crew.SHORT_MS;
      b.rebalanceMs = Crew.SHORT_MS;
      c.rebalanceMs = Crew.SHORT_MS;
      crew.form(a);
      assertThat(late.askForId().error()).isEqualTo("MEMBER_ID_REQUIRED");
      ClassicMember.Wait<GroupTalk.Joined> first = a.joining();
      crew.await("PreparingRebalance 1");
      ClassicMember.Wait<GroupTalk.Joined> second = b.joining();
      crew.await("PreparingRebalance 2");
      ClassicMember.Wait<GroupTalk.Joined> third = c.joining();
      crew.await("PreparingRebalance 3");
      assertThat(late.join().error()).isEqualTo("GROUP_MAX_SIZE_REACHED");
      assertThat(first.get().members()).isEqualTo(3);
      assertThat(second.get().generation()).isEqualTo(2);
      assertThat(third.get().generation()).isEqualTo(2);
      assertThat(a.sync(a, b, c)).isEqualTo("share [1]");
      late.id = "";
      assertThat(late.join().error()).isEqualTo("GROUP_MAX_SIZE_REACHED");
      assertThat(late.id).isEmpty();
      assertThat(b.join().error()).as("a member may join again").isEqualTo("NONE");
      assertThat(c.sync()).isEqualTo("share [3]");
      c.id = "";
      assertThat(c.join().error()).as("its next life").isEqualTo("GROUP_MAX_SIZE_REACHED");
      assertThat(b.leave()).isEqualTo("NONE [NONE]");
      ClassicMember.Wait<GroupTalk.Joined> leader = a.joining();
      ClassicMember.Wait<GroupTalk.Joined> next = late.joining();
      crew.await("PreparingRebalance 3");
      assertThat(c.join().error()).isEqualTo("NONE");
      assertThat(leader.get().members()).isEqualTo(3);
      assertThat(next.get().error()).isEqualTo("NONE");
    }
  }

  @Test
  default void a_newcomer_may_take_the_place_of_a_member_that_joins_late() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      ClassicMember c = crew.member();
      a.rebalanceMs = Crew.SHORT_MS;
      b.rebalanceMs = Crew.SHORT_MS;
      c.rebalanceMs = Crew.SHORT_MS;
      crew.form(a, b, c);
      ClassicMember.Wait<GroupTalk.Joined> first = a.joining();
      crew.await("PreparingRebalance 3");
      ClassicMember newcomer = crew.member();
      newcomer.rebalanceMs = Crew.SHORT_MS;
      ClassicMember.Wait<GroupTalk.Joined> second = newcomer.joining();
      crew.await("PreparingRebalance 4");
      ClassicMember another = crew.member();
      another.rebalanceMs = Crew.SHORT_MS;
      ClassicMember.Wait<GroupTalk.Joined> third = another.joining();
      crew.await("PreparingRebalance 5");
      assertThat(b.join().error()).isEqualTo("GROUP_MAX_SIZE_REACHED");
      assertThat(c.join().error()).isEqualTo("GROUP_MAX_SIZE_REACHED");
      assertThat(first.get().members()).isEqualTo(3);
      assertThat(second.get().error()).isEqualTo("NONE");
      assertThat(third.get().error()).isEqualTo("NONE");
    }
  }

  @Test
  default void members_must_share_a_type_and_a_protocol() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      a.protocols = List.of("odd", "range", "sticky");
      b.protocols = List.of("range", "sticky");
      crew.form(a);
      ClassicMember stranger = crew.member();
      stranger.type = "connect";
      assertThat(stranger.join().error()).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
      stranger.type = "consumer";
      stranger.protocols = List.of("cooperative");
      assertThat(stranger.join().error()).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
      ClassicMember.Wait<GroupTalk.Joined> coming = b.joining();
      crew.await("PreparingRebalance 2");
      assertThat(a.join().protocol()).isEqualTo("range");
      assertThat(coming.get().protocol()).isEqualTo("range");
      assertThat(b.sync("connect", "range")).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
      assertThat(b.sync("consumer", "sticky")).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
      a.protocols = List.of("sticky", "odd");
      ClassicMember.Wait<GroupTalk.Joined> leader = a.joining();
      crew.await("PreparingRebalance 2");
      assertThat(b.join().protocol()).isEqualTo("sticky");
      assertThat(leader.get().protocol()).isEqualTo("sticky");
    }
  }

  @Test
  default void an_empty_group_takes_any_type() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      crew.form(a);
      a.leave();
      ClassicMember b = crew.member();
      b.type = "connect";
      assertThat(b.join())
          .hasToString("NONE generation 3 connect/range leads true skips false members 1");
      GroupTalk groups = new GroupTalk(crew.onlooker);
      assertThat(b.sync(b)).isEqualTo("share [1]");
      assertThat(b.commit()).isEqualTo("NONE");
      assertThat(groups.deleteOffset(crew.group, crew.topic.name(), 0))
          .isEqualTo("group NON_EMPTY_GROUP");
    }
  }

  @Test
  default void the_generation_of_a_member_holds_for_its_transactions_too() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.member();
      ClassicMember b = crew.member();
      Producer producer = txn().newProducer();
      txn().addOffsets(3, producer, crew.group);
      crew.gather(a, b);
      for (int version = 3; version <= 5; version++) {
        assertThat(a.stage(version, txn(), producer)).as("while syncing").isEqualTo("NONE");
      }
      ClassicMember.Wait<String> waiting = b.syncing();
      a.sync(a, b);
      assertThat(waiting.get()).isEqualTo("share [2]");
      assertThat(b.stage(3, txn(), producer)).isEqualTo("NONE");
      ClassicMember.Wait<GroupTalk.Joined> leader = a.joining();
      crew.await("PreparingRebalance 2");
      assertThat(b.stage(3, txn(), producer)).as("of what it still has").isEqualTo("NONE");
      assertThat(b.join().generation()).isEqualTo(3);
      assertThat(leader.get().generation()).isEqualTo(3);
      b.generation = 2;
      for (int version = 3; version <= 5; version++) {
        assertThat(b.stage(version, txn(), producer)).isEqualTo("ILLEGAL_GENERATION");
      }
      b.generation = 3;
      b.id = "nobody";
      assertThat(b.stage(5, txn(), producer)).isEqualTo("UNKNOWN_MEMBER_ID");
      b.id = "";
      assertThat(b.stage(5, txn(), producer)).isEqualTo("UNKNOWN_MEMBER_ID");
      b.generation = -1;
      assertThat(b.stage(5, txn(), producer)).as("it names nobody").isEqualTo("NONE");
      txn().end(3, producer, false);
    }
  }
}
