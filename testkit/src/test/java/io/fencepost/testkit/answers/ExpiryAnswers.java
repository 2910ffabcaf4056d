package io.fencepost.testkit.answers;

import static io.fencepost.testkit.answers.GroupTalk.by;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.message.OffsetCommitRequest;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * When committed offsets go. Old versions of OffsetCommit say themselves how long to keep them, so
 * that nobody has to wait for offsets.retention.minutes. Each test has an offset that must go: when
 * it is gone, the others of its group have been looked at, too.
 */
interface ExpiryAnswers extends Asked {
  int WITH_RETENTION = 4;
  int SOON_MS = 1;
  int LATE_MS = 3_600_000;

  private GroupTalk groups() {
    return new GroupTalk(talk());
  }

  private Consumer<OffsetCommitRequest> keeping(long retentionMs, String memberId, int generation) {
    return by(memberId, generation).andThen(request -> request.retentionTimeMs = retentionMs);
  }

  private void commit(String group, Talk.Topic topic, long retentionMs) {
    assertThat(groups().commit(WITH_RETENTION, group, topic, keeping(retentionMs, "", -1)))
        .isEqualTo("NONE");
  }

  private void commit(ClassicMember member, String group, Talk.Topic topic, long retentionMs) {
    Consumer<OffsetCommitRequest> who = keeping(retentionMs, member.id, member.generation);
    assertThat(groups().commit(WITH_RETENTION, group, topic, who)).isEqualTo("NONE");
  }

  private String offset(String group, Talk.Topic topic) {
    return groups().fetch(group, topic, null, -1);
  }

  private void awaitGone(String group, Talk.Topic topic) {
    assertThat(TxnTalk.until(() -> offset(group, topic), "offset -1"::equals))
        .isEqualTo("offset -1");
  }

  @Test
  default void offsets_of_nobody_go_when_their_time_is_over_and_with_the_last_one_the_group() {
    String group = Talk.fresh("g");
    Talk.Topic soon = talk().newTopic(1);
    Talk.Topic late = talk().newTopic(1);
    Talk.Topic usual = talk().newTopic(1);
    commit(group, late, LATE_MS);
    commit(group, usual, -1);
    commit(group, soon, SOON_MS);
    awaitGone(group, soon);
    assertThat(offset(group, late)).isEqualTo("offset 5");
    assertThat(offset(group, usual)).isEqualTo("offset 5");
    assertThat(groups().describe(5, group)).isEqualTo("NONE Empty '' '' 0");
    commit(group, late, SOON_MS);
    commit(group, usual, SOON_MS);
    awaitGone(group, late);
    awaitGone(group, usual);
    String state = TxnTalk.until(() -> groups().describe(5, group), "NONE Dead '' '' 0"::equals);
    assertThat(state).isEqualTo("NONE Dead '' '' 0");
  }

  @Test
  default void members_keep_the_offsets_of_what_they_subscribe_to() {
    try (Crew crew = new Crew(this::connect)) {
      ClassicMember member = crew.member();
      Talk.Topic other = talk().newTopic(1);
      crew.form(member);
      commit(member, crew.group, crew.topic, SOON_MS);
      commit(member, crew.group, other, SOON_MS);
      awaitGone(crew.group, other);
      assertThat(offset(crew.group, crew.topic)).isEqualTo("offset 5");
      member.leave();
      awaitGone(crew.group, crew.topic);
      assertThat(TxnTalk.until(crew::state, "Dead 0"::equals)).isEqualTo("Dead 0");
    }
  }

  @Test
  default void nothing_goes_while_members_rebalance_or_speak_another_protocol() {
    try (Crew crew = new Crew(this::connect);
        Crew connect = new Crew(this::connect)) {
      ClassicMember member = crew.member();
      Talk.Topic other = talk().newTopic(1);
      crew.form(member);
      commit(member, crew.group, other, LATE_MS);
      ClassicMember second = crew.member();
      ClassicMember.Wait<GroupTalk.Joined> coming = second.joining();
      crew.await("PreparingRebalance 2");
      commit(member, crew.group, other, SOON_MS);
      ClassicMember worker = connect.member();
      worker.type = "connect";
      connect.form(worker);
      commit(worker, connect.group, connect.topic, SOON_MS);
      for (int i = 0; i < 3; i++) {
        awaitASweep();
      }
      assertThat(offset(crew.group, other)).isEqualTo("offset 5");
      assertThat(offset(connect.group, connect.topic)).isEqualTo("offset 5");
      assertThat(member.join().generation()).isEqualTo(2);
      member.sync(member, second);
      assertThat(coming.get().error()).isEqualTo("NONE");
      awaitGone(crew.group, other);
    }
  }

  /** Several groups, as each partition of the offsets log is swept on its own. */
  private void awaitASweep() {
    Talk.Topic topic = talk().newTopic(1);
    for (int i = 0; i < 4; i++) {
      String group = Talk.fresh("witness");
      commit(group, topic, SOON_MS);
      awaitGone(group, topic);
    }
  }

  @Test
  default void an_offset_stays_while_a_transaction_may_replace_it() {
    String group = Talk.fresh("g");
    Talk.Topic held = talk().newTopic(1);
    Talk.Topic free = talk().newTopic(1);
    Producer producer = txn().newProducer();
    commit(group, held, LATE_MS);
    TxnTalk.patiently(() -> txn().stage(5, producer, group, held, 9));
    commit(group, held, SOON_MS);
    commit(group, free, SOON_MS);
    awaitGone(group, free);
    assertThat(offset(group, held)).isEqualTo("offset 5");
    assertThat(txn().end(5, producer, false)).startsWith("same id");
    awaitGone(group, held);
    assertThat(txn().committed(group, held, 0, true)).isEqualTo("-1");
  }

  @Test
  default void a_group_stays_while_a_transaction_may_give_it_its_first_offset() {
    String group = Talk.fresh("g");
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(TxnTalk.patiently(() -> txn().stage(5, producer, group, topic, 9)))
        .isEqualTo("NONE");
    awaitASweep();
    assertThat(txn().end(5, producer, true)).startsWith("same id");
    assertThat(TxnTalk.until(() -> offset(group, topic), "offset 9"::equals)).isEqualTo("offset 9");
  }
}
