package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Offsets committed inside and outside of transactions. */
interface OffsetAnswers extends Asked {
  @Test
  default void staging_offsets_needs_the_group_in_the_transaction_until_it_joins_by_itself() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(txn().stage(0, producer, group, topic, 1)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().stage(3, producer, group, topic, 1)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().stage(4, producer, group, topic, 1)).isEqualTo("TRANSACTION_ABORTABLE");
    assertThat(stagePatiently(producer, group, topic, 7)).isEqualTo("NONE");
    assertThat(txn().end(5, producer, true)).isEqualTo("same id epoch 1");
    assertThat(TxnTalk.patiently(() -> stable(group, topic, 0))).isEqualTo("7");
  }

  private String stagePatiently(Producer producer, String group, Talk.Topic topic, long offset) {
    return TxnTalk.patiently(() -> txn().stage(5, producer, group, topic, offset));
  }

  private String stable(String group, Talk.Topic topic, int partition) {
    return areMarkersWrittenAfterTheAnswer()
        ? TxnTalk.until(
            () -> txn().committed(group, topic, partition, true),
            answer -> !answer.equals("UNSTABLE_OFFSET_COMMIT"))
        : txn().committed(group, topic, partition, true);
  }

  default boolean areMarkersWrittenAfterTheAnswer() {
    return true;
  }

  @Test
  default void an_old_producer_adds_the_group_and_then_stages() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(txn().addOffsets(3, producer, group)).isEqualTo("NONE");
    assertThat(txn().stage(3, producer, group, topic, 5)).isEqualTo("NONE");
    assertThat(txn().end(3, producer, true)).isEqualTo("NONE");
    assertThat(stable(group, topic, 0)).isEqualTo("5");
    assertThat(txn().addOffsets(3, producer, group)).isEqualTo("NONE");
    assertThat(txn().stage(3, producer, group, topic, 6)).isEqualTo("NONE");
    assertThat(txn().end(3, producer, false)).isEqualTo("NONE");
    assertThat(stable(group, topic, 0)).isEqualTo("5");
  }

  @Test
  default void pending_offsets_disturb_only_who_wants_stable_ones_and_only_in_their_partition() {
    Talk.Topic topic = talk().newTopic(2);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    txn().commitOffset(group, topic, 3, "");
    assertThat(stagePatiently(producer, group, topic, 9)).isEqualTo("NONE");
    assertThat(txn().committed(group, topic, 0, true)).isEqualTo("UNSTABLE_OFFSET_COMMIT");
    assertThat(txn().committed(group, topic, 0, false)).isEqualTo("3");
    assertThat(txn().committed(group, topic, 1, true)).isEqualTo("-1");
    txn().end(5, producer, true);
    assertThat(stable(group, topic, 0)).isEqualTo("9");
  }

  @Test
  default void who_asks_for_all_offsets_hears_which_are_pending_and_nothing_of_new_ones() {
    GroupTalk groups = new GroupTalk(talk());
    Talk.Topic topic = talk().newTopic(3);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    txn().commitOffset(group, topic, 3, "");
    assertThat(stagePatiently(producer, group, topic, 9)).isEqualTo("NONE");
    assertThat(txn().stage(5, producer, group, topic, 1, 7, "")).isEqualTo("NONE");
    assertThat(groups.fetchAll(group, true)).containsExactly("0 UNSTABLE_OFFSET_COMMIT");
    assertThat(groups.fetchAll(group, false)).containsExactly("0 3");
    txn().end(5, producer, true);
    stable(group, topic, 0);
    assertThat(groups.fetchAll(group, true)).containsExactly("0 9", "1 7");
    assertThat(groups.fetchAll(Talk.fresh("none"), true)).isEmpty();
  }

  @Test
  default void a_plain_commit_after_a_staged_one_wins() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(stagePatiently(producer, group, topic, 9)).isEqualTo("NONE");
    assertThat(txn().commitOffset(group, topic, 4, "")).isEqualTo("NONE");
    txn().end(5, producer, true);
    assertThat(stable(group, topic, 0)).isEqualTo("4");
  }

  @Test
  default void two_transactions_may_stage_the_same_partition() {
    Talk.Topic topic = talk().newTopic(1);
    Producer one = txn().newProducer();
    Producer two = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(stagePatiently(one, group, topic, 1)).isEqualTo("NONE");
    assertThat(stagePatiently(two, group, topic, 2)).isEqualTo("NONE");
    txn().end(5, two, true);
    txn().end(5, one, true);
    assertThat(stable(group, topic, 0)).isEqualTo("2");
  }

  @Test
  default void a_plain_commit_among_staged_ones_counts_at_once_and_the_last_in_the_log_wins() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(txn().commitOffset(group, topic, 1, "")).isEqualTo("NONE");
    assertThat(stagePatiently(producer, group, topic, 2)).isEqualTo("NONE");
    assertThat(txn().commitOffset(group, topic, 3, "")).isEqualTo("NONE");
    assertThat(txn().committed(group, topic, 0, false)).isEqualTo("3");
    assertThat(txn().committed(group, topic, 0, true)).isEqualTo("UNSTABLE_OFFSET_COMMIT");
    assertThat(stagePatiently(producer, group, topic, 4)).isEqualTo("NONE");
    assertThat(txn().committed(group, topic, 0, false)).isEqualTo("3");
    txn().end(5, producer, true);
    assertThat(stable(group, topic, 0)).isEqualTo("4");
  }

  @Test
  default void an_abort_leaves_what_was_committed_before_and_meanwhile() {
    Talk.Topic topic = talk().newTopic(2);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(txn().commitOffset(group, topic, 1, "")).isEqualTo("NONE");
    assertThat(stagePatiently(producer, group, topic, 2)).isEqualTo("NONE");
    assertThat(txn().stage(5, producer, group, topic, 1, 7, "")).isEqualTo("NONE");
    assertThat(txn().commitOffset(group, topic, 3, "")).isEqualTo("NONE");
    txn().end(5, producer, false);
    assertThat(stable(group, topic, 0)).isEqualTo("3");
    assertThat(stable(group, topic, 1)).isEqualTo("-1");
  }

  @Test
  default void offsets_and_groups_are_deleted_with_what_is_staged_for_them() {
    GroupTalk groups = new GroupTalk(talk());
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(txn().commitOffset(group, topic, 1, "")).isEqualTo("NONE");
    assertThat(stagePatiently(producer, group, topic, 2)).isEqualTo("NONE");
    assertThat(groups.deleteOffset(group, topic.name(), 0)).isEqualTo("NONE");
    assertThat(txn().committed(group, topic, 0, true)).isEqualTo("-1");
    assertThat(stagePatiently(producer, group, topic, 3)).isEqualTo("NONE");
    txn().end(5, producer, true);
    assertThat(stable(group, topic, 0)).isEqualTo("3");
    Producer other = txn().newProducer();
    assertThat(stagePatiently(other, group, topic, 4)).isEqualTo("NONE");
    assertThat(groups.delete(group)).isEqualTo("NONE");
    assertThat(txn().committed(group, topic, 0, true)).isEqualTo("-1");
    txn().end(5, other, true);
    assertThat(stable(group, topic, 0)).isEqualTo("-1");
  }

  @Test
  default void metadata_is_limited_and_a_group_needs_a_name() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    String fits = "m".repeat(4_096);
    assertThat(txn().commitOffset(group, topic, 1, fits)).isEqualTo("NONE");
    assertThat(txn().commitOffset(group, topic, 1, fits + "m"))
        .isEqualTo("OFFSET_METADATA_TOO_LARGE");
    assertThat(TxnTalk.patiently(() -> txn().stage(5, producer, group, topic, 0, 1, fits + "m")))
        .isEqualTo("OFFSET_METADATA_TOO_LARGE");
    assertThat(txn().stage(5, producer, "", topic, 1)).isEqualTo("INVALID_GROUP_ID");
    assertThat(txn().commitOffset("", topic, 1, "")).isEqualTo(answerToCommitWithoutGroup());
  }

  default String answerToCommitWithoutGroup() {
    return "NONE";
  }

  @Test
  default void staging_by_who_has_no_transactional_id_known_to_the_coordinator() {
    Talk.Topic topic = talk().newTopic(1);
    Producer known = txn().newProducer();
    Producer stranger = new Producer(Talk.fresh("stranger"), known.id() + 500_000, 0);
    Producer wrongId = known.withId(known.id() + 9_999);
    List<String> answers = new ArrayList<>();
    for (int version = 3; version <= 5; version++) {
      answers.add(txn().stage(version, stranger, "g", topic, 1));
      answers.add(txn().stage(version, wrongId, "g", topic, 1));
    }
    assertThat(answers).containsOnly("INVALID_PRODUCER_ID_MAPPING");
  }

  @Test
  default void offsets_of_unknown_topics_and_members() {
    Talk.Topic topic = talk().newTopic(1);
    Talk.Topic unknown = new Talk.Topic(Talk.fresh("unknown"), topic.id());
    Producer producer = txn().newProducer();
    String group = Talk.fresh("g");
    assertThat(txn().commitOffset(group, unknown, 1, "")).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(txn().stage(5, producer, group, unknown, 1)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(txn().stage(5, producer, group, topic, 3, 1, ""))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(txn().committed(group, unknown, 0, true)).isEqualTo("-1");
  }
}
