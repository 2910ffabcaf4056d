package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Static members of the classic protocol (KIP-345, KIP-814) among others. */
interface StaticMemberAnswers extends Asked {
  private Crew crew() {
    return new Crew(this::connect);
  }

  /** The next life of a member: it knows its name, not its id. */
  private ClassicMember nextLife(Crew crew, ClassicMember former) {
    ClassicMember next = crew.named(former.instanceId);
    next.generation = -1;
    return next;
  }

  @Test
  default void a_follower_comes_back_to_what_it_had_and_its_former_life_is_fenced() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.named("b");
      crew.form(a, b);
      ClassicMember again = nextLife(crew, b);
      assertThat(again.join())
          .hasToString("NONE generation 2 consumer/range leads false skips false members 0");
      assertThat(again.id).isNotEqualTo(b.id);
      assertThat(again.sync()).isEqualTo("share [2]");
      assertThat(a.beat()).isEqualTo("NONE");
      assertThat(b.beat()).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(b.sync()).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(b.join().error()).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(b.commit()).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(b.leave()).isEqualTo("NONE [FENCED_INSTANCE_ID]");
      Producer producer = txn().newProducer();
      assertThat(b.stage(5, txn(), producer)).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(again.stage(5, txn(), producer)).isEqualTo("NONE");
      assertThat(txn().end(5, producer, false)).startsWith("same id");
      assertThat(crew.state()).isEqualTo("Stable 2");
    }
  }

  @Test
  default void a_leader_comes_back_and_has_nothing_to_deal_out() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.member();
      crew.form(a, b);
      ClassicMember again = nextLife(crew, a);
      assertThat(again.join())
          .hasToString("NONE generation 2 consumer/range leads true skips true members 2");
      assertThat(again.sync()).isEqualTo("share [1]");
      ClassicMember old = nextLife(crew, a);
      assertThat(old.join(8))
          .as("it would deal out shares if it knew that it leads")
          .hasToString("NONE generation 2 consumer/range leads false skips false members 0");
      assertThat(old.sync()).isEqualTo("share [1]");
      assertThat(again.beat()).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(crew.state()).isEqualTo("Stable 2");
    }
  }

  @Test
  default void
      a_member_that_comes_back_with_another_wish_rebalances_only_if_the_protocol_changes() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.named("b");
      a.protocols = List.of("range", "sticky");
      b.protocols = List.of("range", "sticky");
      crew.form(a, b);
      ClassicMember wishing = nextLife(crew, a);
      wishing.protocols = List.of("range", "sticky");
      wishing.topic = "another";
      assertThat(wishing.join())
          .as("the leader sees it and may join once more")
          .hasToString("NONE generation 2 consumer/range leads true skips true members 2");
      assertThat(crew.state()).isEqualTo("Stable 2");
      ClassicMember changed = nextLife(crew, b);
      changed.protocols = List.of("sticky");
      ClassicMember.Wait<GroupTalk.Joined> coming = changed.joining();
      crew.await("PreparingRebalance 2");
      assertThat(wishing.join())
          .hasToString("NONE generation 3 consumer/sticky leads true skips false members 2");
      assertThat(coming.get())
          .hasToString("NONE generation 3 consumer/sticky leads false skips false members 0");
      ClassicMember odd = nextLife(crew, b);
      odd.protocols = List.of("odd");
      assertThat(odd.join().error()).isEqualTo("INCONSISTENT_GROUP_PROTOCOL");
    }
  }

  @Test
  default void a_member_that_comes_back_with_its_id_is_the_same_life() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.named("b");
      crew.form(a, b);
      assertThat(b.join())
          .hasToString("NONE generation 2 consumer/range leads false skips false members 0");
      ClassicMember.Wait<GroupTalk.Joined> leader = a.joining();
      crew.await("PreparingRebalance 2");
      assertThat(b.join().generation()).isEqualTo(3);
      assertThat(leader.get())
          .hasToString("NONE generation 3 consumer/range leads true skips false members 2");
    }
  }

  @Test
  default void whatever_a_former_life_waits_for_is_answered_with_its_end() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.named("b");
      crew.form(a, b);
      ClassicMember.Wait<GroupTalk.Joined> waiting = a.joining();
      crew.await("PreparingRebalance 2");
      ClassicMember again = nextLife(crew, a);
      ClassicMember.Wait<GroupTalk.Joined> coming = again.joining();
      assertThat(waiting.get().error()).isEqualTo("FENCED_INSTANCE_ID");
      assertThat(b.join().generation()).isEqualTo(3);
      assertThat(coming.get())
          .hasToString("NONE generation 3 consumer/range leads true skips false members 2");
      ClassicMember.Wait<String> sync = b.syncing();
      ClassicMember next = nextLife(crew, b);
      ClassicMember.Wait<GroupTalk.Joined> third = next.joining();
      assertThat(sync.get()).isEqualTo("FENCED_INSTANCE_ID");
      crew.await("PreparingRebalance 2");
      assertThat(again.join().generation()).isEqualTo(4);
      assertThat(third.get().generation()).isEqualTo(4);
    }
  }

  @Test
  default void a_rebalance_goes_on_without_a_silent_static_member_and_keeps_its_place() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.member();
      a.rebalanceMs = Crew.SHORT_MS;
      b.rebalanceMs = Crew.SHORT_MS;
      crew.form(a, b);
      b.topic = "another";
      assertThat(b.join())
          .as("who is there leads")
          .hasToString("NONE generation 3 consumer/range leads true skips false members 2");
      assertThat(b.sync(b, a)).isEqualTo("share [1]");
      assertThat(a.beat()).isEqualTo("ILLEGAL_GENERATION");
      assertThat(a.join())
          .hasToString("NONE generation 3 consumer/range leads false skips false members 0");
      assertThat(a.sync()).isEqualTo("share [2]");
    }
  }

  @Test
  default void a_static_member_is_out_when_its_session_is_over() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.named("b");
      b.sessionMs = Crew.SHORT_MS;
      crew.form(a, b);
      crew.await("PreparingRebalance 1");
      assertThat(b.beat()).isEqualTo("UNKNOWN_MEMBER_ID");
      ClassicMember again = nextLife(crew, b);
      ClassicMember.Wait<GroupTalk.Joined> coming = again.joining();
      crew.await("PreparingRebalance 2");
      assertThat(a.join().members()).isEqualTo(2);
      assertThat(coming.get().generation()).isEqualTo(3);
    }
  }

  @Test
  default void administrators_send_members_away_by_name_or_by_id() {
    try (Crew crew = crew()) {
      ClassicMember a = crew.named("a");
      ClassicMember b = crew.named("b");
      ClassicMember c = crew.member();
      crew.form(a, b, c);
      GroupTalk admin = new GroupTalk(crew.onlooker);
      assertThat(admin.leave(crew.group, "", "nobody", "", null, b.id, "a", a.id, "nobody"))
          .isEqualTo(
              "NONE [UNKNOWN_MEMBER_ID, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID]");
      assertThat(crew.state()).isEqualTo("Stable 3");
      assertThat(admin.leave(crew.group, "", "a", b.id, "b", "", "a"))
          .isEqualTo("NONE [NONE, NONE, UNKNOWN_MEMBER_ID]");
      assertThat(crew.state()).isEqualTo("PreparingRebalance 1");
      assertThat(admin.leave(crew.group, c.id, "c")).isEqualTo("NONE [UNKNOWN_MEMBER_ID]");
      assertThat(admin.leave(crew.group, c.id, null)).isEqualTo("NONE [NONE]");
      assertThat(crew.state()).isEqualTo("Empty 0");
      assertThat(admin.leave(Talk.fresh("unknown"), "m", null, "", "i"))
          .isEqualTo("NONE [UNKNOWN_MEMBER_ID, UNKNOWN_MEMBER_ID]");
    }
  }
}
