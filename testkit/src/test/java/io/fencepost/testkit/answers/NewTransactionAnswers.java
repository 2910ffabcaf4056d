package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Transactions of version 2 (KIP-890): partitions join by themselves, each end raises the epoch.
 */
interface NewTransactionAnswers extends Asked {
  private String produce(int version, Producer producer, Talk.Topic topic, int sequence) {
    return TxnTalk.patiently(() -> talk().produce(version, producer, topic, sequence, 1));
  }

  @Test
  default void a_batch_adds_its_partition_and_the_end_raises_the_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(produce(12, producer, topic, 0)).isEqualTo("@0");
    assertThat(produce(13, producer, topic, 1)).isEqualTo("@1");
    assertThat(txn().end(5, producer, true)).isEqualTo("same id epoch 1");
    Producer next = producer.inEpoch(1);
    assertThat(produce(12, next, topic, 0)).isEqualTo("@3");
    assertThat(txn().end(5, next, false)).isEqualTo("same id epoch 2");
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .untilAsserted(
            () ->
                assertThat(talk().log(topic, 0))
                    .containsExactly(
                        "data 0-0 e0",
                        "data 1-1 e0",
                        "commit 2-2 e1",
                        "data 3-3 e1",
                        "abort 4-4 e2"));
    assertThat(produce(12, next, topic, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
  }

  @Test
  default void the_first_sequence_in_a_partition_must_be_0() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(produce(12, producer, topic, 4)).isEqualTo("OUT_OF_ORDER_SEQUENCE_NUMBER");
    assertThat(produce(12, producer, topic, 0)).isEqualTo("@0");
    assertThat(produce(12, producer, topic, 0)).isEqualTo("@0");
    txn().end(5, producer, false);
    Producer old = txn().newProducer();
    txn().add(3, old, topic, 0);
    assertThat(produce(11, old, topic, 4)).isEqualTo("@2");
    txn().end(4, old, false);
  }

  @Test
  default void a_repeated_end_answers_the_same_and_the_opposite_is_invalid() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    produce(12, producer, topic, 0);
    assertThat(txn().end(5, producer, true)).isEqualTo("same id epoch 1");
    assertThat(txn().end(5, producer, true)).isEqualTo("same id epoch 1");
    assertThat(txn().end(5, producer, false)).isEqualTo("INVALID_TXN_STATE");
    Producer next = producer.inEpoch(1);
    produce(12, next, topic, 0);
    assertThat(txn().end(5, next, false)).isEqualTo("same id epoch 2");
    assertThat(txn().end(5, next, false)).isEqualTo("same id epoch 2");
    assertThat(txn().end(5, next, true)).isEqualTo("INVALID_TXN_STATE");
  }

  @Test
  default void with_nothing_begun_a_commit_is_invalid_and_an_abort_raises_the_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(txn().end(5, producer, true)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().end(5, producer, false)).isEqualTo("same id epoch 1");
    Producer second = producer.inEpoch(1);
    assertThat(txn().end(5, second, true)).isEqualTo("INVALID_TXN_STATE");
    produce(12, second, topic, 0);
    assertThat(txn().end(5, second, true)).isEqualTo("same id epoch 2");
    assertThat(txn().end(5, second.inEpoch(2), true)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().end(5, second.inEpoch(2), false)).isEqualTo("same id epoch 3");
  }

  @Test
  default void the_owner_of_an_open_transaction_may_ask_for_a_new_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    produce(12, producer, topic, 0);
    assertThat(txn().reinit(5, producer)).isEqualTo("same id epoch 1");
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1");
  }

  /** As long as it takes: there is no faster way to the last epoch than one request for each. */
  @Test
  @Tag("soak")
  default void a_used_up_epoch_gives_a_new_producer_id() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    int last = Short.MAX_VALUE - 1;
    for (int epoch = 0; epoch < last; epoch++) {
      assertThat(txn().reinit(5, producer.inEpoch(epoch)))
          .isEqualTo("same id epoch " + (epoch + 1));
    }
    Producer used = producer.inEpoch(last);
    assertThat(produce(12, used, topic, 0)).isEqualTo("@0");
    assertThat(txn().end(5, used, true)).isEqualTo("new id epoch 0");
    assertThat(txn().end(5, used, true)).isEqualTo("new id epoch 0");
    assertThat(txn().end(5, used, false)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e32766", "commit 1-1 e32767");
    assertThat(produce(12, used, topic, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().reinit(5, used)).isEqualTo("new id epoch 0");
  }

  @Test
  default void old_and_new_requests_of_one_producer_go_together() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    txn().add(3, producer, topic, 0);
    assertThat(produce(11, producer, topic, 0)).isEqualTo("@0");
    assertThat(txn().end(5, producer, true)).isEqualTo("same id epoch 1");
    Producer next = producer.inEpoch(1);
    assertThat(produce(12, next, topic, 0)).isEqualTo("@2");
    assertThat(txn().end(4, next, true)).isEqualTo("NONE");
  }
}
