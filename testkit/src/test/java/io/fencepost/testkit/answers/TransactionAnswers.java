package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import io.fencepost.broker.wire.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction;
import io.fencepost.broker.wire.message.AddPartitionsToTxnResponse;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Transactions whose partitions are added by request, as producers before 4.0 do; and identity. */
interface TransactionAnswers extends Asked {
  @Test
  default void zombies_are_fenced_in_the_words_of_each_api_and_version() {
    Talk.Topic topic = talk().newTopic(1);
    Producer old = txn().newProducer();
    txn().add(3, old, topic, 0);
    talk().produce(9, old, topic, 0, 1);
    assertThat(txn().end(3, old, true)).isEqualTo("NONE");
    Producer current = txn().init(Talks.text(old.transactionalId()));
    assertThat(current.epoch()).isEqualTo(old.epoch() + 1);
    txn().add(3, current, topic, 0);
    talk().produce(9, current, topic, 0, 1);
    assertThat(talk().produce(9, old, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(talk().produce(11, old, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(talk().produce(12, old, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().add(0, old, topic, 0)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().add(1, old, topic, 0)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().add(2, old, topic, 0)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().add(3, old, topic, 0)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().addOffsets(1, old, "g")).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().addOffsets(2, old, "g")).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(1, old, true)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().end(2, old, true)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(4, old, false)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(5, old, false)).isEqualTo("PRODUCER_FENCED");
    for (int version = 0; version <= 5; version++) {
      assertThat(txn().stage(version, old, "g", topic, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    }
    assertThat(txn().end(3, current, true)).isEqualTo("NONE");
    assertThat(txn().reinit(3, old)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().reinit(4, old)).isEqualTo("PRODUCER_FENCED");
  }

  @Test
  default void an_epoch_that_was_never_given_out_is_fenced() {
    Talk.Topic topic = talk().newTopic(1);
    Producer future = txn().newProducer().inEpoch(7);
    assertThat(txn().add(3, future, topic, 0)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().addOffsets(3, future, "g")).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(4, future, true)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().reinit(4, future)).isEqualTo("PRODUCER_FENCED");
  }

  @Test
  default void unknown_transactional_ids_and_other_producer_ids_have_no_mapping() {
    Talk.Topic topic = talk().newTopic(1);
    Producer known = txn().newProducer();
    Producer stranger = new Producer(Talk.fresh("stranger"), known.id(), 0);
    Producer wrongId = known.withId(known.id() + 1_000_000);
    for (Producer producer : new Producer[] {stranger, wrongId}) {
      assertThat(txn().add(3, producer, topic, 0)).isEqualTo("INVALID_PRODUCER_ID_MAPPING");
      assertThat(txn().addOffsets(3, producer, "g")).isEqualTo("INVALID_PRODUCER_ID_MAPPING");
      assertThat(txn().end(4, producer, true)).isEqualTo("INVALID_PRODUCER_ID_MAPPING");
      assertThat(txn().end(5, producer, true)).isEqualTo("INVALID_PRODUCER_ID_MAPPING");
      assertThat(talk().produce(11, producer, topic, 0, 1))
          .isEqualTo("INVALID_PRODUCER_ID_MAPPING");
      assertThat(talk().produce(12, producer, topic, 0, 1))
          .isEqualTo("INVALID_PRODUCER_ID_MAPPING");
    }
  }

  @Test
  default void a_batch_outside_the_transaction_is_refused_by_version() {
    Talk.Topic topic = talk().newTopic(2);
    Producer producer = txn().newProducer();
    assertThat(talk().produce(9, producer, topic, 0, 1)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().produce(10, producer, topic, 0, 1)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().produce(11, producer, topic, 0, 1)).isEqualTo("TRANSACTION_ABORTABLE");
    txn().add(3, producer, topic, 1);
    assertThat(talk().produce(9, producer, topic, 0, 1)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().produce(9, producer, topic, 1, producer.batch(0, 1))).isEqualTo("@0");
    assertThat(talk().end(topic, 0)).isZero();
    txn().end(3, producer, false);
  }

  @Test
  default void a_plain_batch_of_a_producer_with_an_open_transaction_is_refused() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    txn().add(3, producer, topic, 0);
    talk().produce(9, producer, topic, 0, 1);
    Producer plain = new Producer(null, producer.id(), producer.epoch());
    assertThat(talk().produce(9, plain, topic, 1, 1)).isEqualTo("INVALID_TXN_STATE");
    txn().end(3, producer, false);
  }

  @Test
  default void a_newcomer_aborts_the_open_transaction_and_gets_the_epoch_after_the_next() {
    Talk.Topic topic = talk().newTopic(1);
    Producer first = txn().newProducer();
    txn().add(3, first, topic, 0);
    talk().produce(9, first, topic, 0, 1);
    Producer second = txn().init(Talks.text(first.transactionalId()));
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.epoch()).isEqualTo(2);
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1");
  }

  @Test
  default void the_owner_goes_on_with_the_next_epoch_and_may_ask_again() {
    Producer producer = txn().newProducer();
    assertThat(txn().reinit(4, producer)).isEqualTo("same id epoch 1");
    assertThat(txn().reinit(4, producer)).isEqualTo("same id epoch 1");
    assertThat(txn().reinit(4, producer.inEpoch(1))).isEqualTo("same id epoch 2");
    assertThat(txn().reinit(4, producer)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().reinit(3, producer.inEpoch(2))).isEqualTo("same id epoch 3");
  }

  @Test
  default void the_owner_of_an_open_transaction_aborts_it_when_it_asks_for_a_new_epoch() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    txn().add(3, producer, topic, 0);
    talk().produce(9, producer, topic, 0, 1);
    assertThat(txn().reinit(4, producer)).isEqualTo("same id epoch 1");
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1");
  }

  @Test
  default void init_refuses_half_an_identity_and_impossible_timeouts() {
    String id = Talk.fresh("x");
    assertThat(txn().initText(4, new Producer(id, 5, -1), 60_000)).isEqualTo("INVALID_REQUEST");
    assertThat(txn().initText(4, new Producer(id, -1, 5), 60_000)).isEqualTo("INVALID_REQUEST");
    assertThat(txn().initText(4, new Producer("", -1, -1), 60_000)).isEqualTo("INVALID_REQUEST");
    for (int timeoutMs : new int[] {0, -1, 900_001}) {
      assertThat(txn().initText(4, new Producer(id, -1, -1), timeoutMs))
          .isEqualTo("INVALID_TRANSACTION_TIMEOUT");
    }
    assertThat(txn().initText(4, new Producer(null, 5, 0), 1)).endsWith(" 0");
  }

  @Test
  default void an_unknown_transactional_id_with_a_claimed_identity() {
    Producer claimed = new Producer(Talk.fresh("x"), 4_242, 3);
    assertThat(txn().reinit(4, claimed)).isEqualTo("new id epoch 0");
  }

  @Test
  default void ending_twice_is_fine_and_the_opposite_is_not() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(txn().end(3, producer, true)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().end(3, producer, false)).isEqualTo("INVALID_TXN_STATE");
    txn().add(3, producer, topic, 0);
    talk().produce(9, producer, topic, 0, 1);
    assertThat(txn().end(3, producer, true)).isEqualTo("NONE");
    assertThat(txn().end(3, producer, true)).isEqualTo("NONE");
    assertThat(txn().end(3, producer, false)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "commit 1-1 e0");
    txn().add(3, producer, topic, 0);
    talk().produce(9, producer, topic, 1, 1);
    assertThat(txn().end(4, producer, false)).isEqualTo("NONE");
    assertThat(txn().end(4, producer, false)).isEqualTo("NONE");
    assertThat(txn().end(4, producer, true)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().log(topic, 0)).hasSize(4);
  }

  @Test
  default void each_added_partition_gets_a_marker_written_or_not() {
    Talk.Topic topic = talk().newTopic(2);
    Producer producer = txn().newProducer();
    assertThat(txn().add(3, producer, topic, 0, 1)).isEqualTo("NONE");
    assertThat(txn().end(3, producer, true)).isEqualTo("NONE");
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .untilAsserted(
            () -> {
              assertThat(talk().log(topic, 0)).containsExactly("commit 0-0 e0");
              assertThat(talk().log(topic, 1)).containsExactly("commit 0-0 e0");
            });
  }

  @Test
  default void adding_a_partition_that_does_not_exist_adds_nothing() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    assertThat(txn().addOnce(3, producer, topic.name(), 0, 5))
        .isIn("OPERATION_NOT_ATTEMPTED", "UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(txn().end(3, producer, true)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().addOnce(3, new Producer("", 1, 0), topic.name(), 0))
        .isEqualTo("INVALID_REQUEST");
  }

  @Test
  default void verifying_a_partition_outside_the_transaction_is_abortable() {
    Talk.Topic topic = talk().newTopic(2);
    Producer producer = txn().newProducer();
    txn().add(3, producer, topic, 0);
    assertThat(verify(producer, topic, 0)).isEqualTo("NONE");
    assertThat(verify(producer, topic, 1)).isEqualTo("TRANSACTION_ABORTABLE");
    txn().end(3, producer, false);
    assertThat(verify(producer, topic, 0)).isEqualTo("TRANSACTION_ABORTABLE");
    assertThat(verify(producer.inEpoch(9), topic, 0)).isEqualTo("PRODUCER_FENCED");
    assertThat(verify(producer.withId(99), topic, 0)).isEqualTo("INVALID_PRODUCER_ID_MAPPING");
  }

  private String verify(Producer producer, Talk.Topic topic, int partition) {
    AddPartitionsToTxnTopic named = new AddPartitionsToTxnTopic();
    named.name = topic.name();
    named.partitions.add(partition);
    AddPartitionsToTxnTransaction transaction = new AddPartitionsToTxnTransaction();
    transaction.transactionalId = Talks.text(producer.transactionalId());
    transaction.producerId = producer.id();
    transaction.producerEpoch = (short) producer.epoch();
    transaction.verifyOnly = true;
    transaction.topics.add(named);
    AddPartitionsToTxnRequest request = new AddPartitionsToTxnRequest();
    request.transactions.add(transaction);
    return TxnTalk.patiently(
        () ->
            Talk.name(
                talk()
                    .ask(ApiKey.ADD_PARTITIONS_TO_TXN, 4, request, AddPartitionsToTxnResponse.class)
                    .resultsByTransaction
                    .get(0)
                    .topicResults
                    .get(0)
                    .resultsByPartition
                    .get(0)
                    .partitionErrorCode));
  }

  @Test
  default void after_a_timeout_the_old_epoch_is_fenced_but_its_owner_may_ask_for_the_next() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().init(Talk.fresh("x"), 300);
    txn().add(3, producer, topic, 0);
    assertThat(talk().produce(9, producer, topic, 0, 1)).isEqualTo("@0");
    Awaitility.await()
        .pollInterval(50, TimeUnit.MILLISECONDS)
        .until(() -> talk().log(topic, 0).size() == 2);
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1");
    assertThat(txn().add(3, producer, topic, 0)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(4, producer, true)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(1, producer, true)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(talk().produce(9, producer, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(talk().produce(12, producer, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().end(5, producer, true)).isEqualTo("INVALID_TXN_STATE");
    assertThat(txn().reinit(4, producer)).isEqualTo("same id epoch 1");
    assertThat(txn().reinit(4, producer.inEpoch(1))).isEqualTo("same id epoch 2");
  }

  @Test
  default void a_transaction_that_began_and_wrote_nothing_times_out_too() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().init(Talk.fresh("x"), 300);
    assertThat(txn().add(3, producer, topic, 0)).isEqualTo("NONE");
    Awaitility.await()
        .pollInterval(50, TimeUnit.MILLISECONDS)
        .until(() -> talk().log(topic, 0).size() == 1);
    assertThat(talk().log(topic, 0)).containsExactly("abort 0-0 e1");
    assertThat(txn().add(3, producer, topic, 0)).isEqualTo("PRODUCER_FENCED");
    assertThat(txn().end(5, producer, false)).isEqualTo("same id epoch 1");
  }

  @Test
  default void the_batch_after_an_end_is_refused_until_its_partition_is_added_again() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = txn().newProducer();
    txn().add(3, producer, topic, 0);
    talk().produce(9, producer, topic, 0, 1);
    txn().end(3, producer, true);
    Awaitility.await().until(() -> talk().log(topic, 0).size() == 2);
    assertThat(talk().produce(9, producer, topic, 1, 1)).isEqualTo("INVALID_TXN_STATE");
    assertThat(talk().produce(11, producer, topic, 1, 1)).isEqualTo("TRANSACTION_ABORTABLE");
  }
}
