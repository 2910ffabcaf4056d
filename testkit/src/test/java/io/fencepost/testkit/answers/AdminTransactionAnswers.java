package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Transactions as Kafka's admin client sees and ends them (KIP-664, KIP-939's forced end). */
interface AdminTransactionAnswers extends Asked {
  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
  }

  private Producer withOpenTransaction(Talk.Topic topic) {
    Producer producer = txn().newProducer();
    txn().add(3, producer, topic, 0);
    assertThat(talk().produce(9, producer, topic, 0, 1)).isEqualTo("@0");
    return producer;
  }

  private static List<String> ids(Admin admin, ListTransactionsOptions options) throws Exception {
    return admin.listTransactions(options).all().get().stream()
        .map(TransactionListing::transactionalId)
        .toList();
  }

  @Test
  default void open_transactions_are_listed_and_described() throws Exception {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = withOpenTransaction(topic);
    String id = Talks.text(producer.transactionalId());
    TopicPartition partition = new TopicPartition(topic.name(), 0);
    try (Admin admin = admin()) {
      ListTransactionsOptions ofProducer =
          new ListTransactionsOptions().filterProducerIds(Set.of(producer.id()));
      assertThat(ids(admin, ofProducer)).containsExactly(id);
      assertThat(ids(admin, ofProducer.filterStates(Set.of(TransactionState.ONGOING))))
          .containsExactly(id);
      assertThat(ids(admin, ofProducer.filterStates(Set.of(TransactionState.EMPTY)))).isEmpty();
      ListTransactionsOptions byDuration =
          new ListTransactionsOptions().filterProducerIds(Set.of(producer.id()));
      assertThat(ids(admin, byDuration.filterOnDuration(600_000))).isEmpty();
      assertThat(
              ids(
                  admin,
                  new ListTransactionsOptions().filterOnTransactionalIdPattern(id + "|none")))
          .containsExactly(id);
      TransactionDescription described =
          admin.describeTransactions(List.of(id)).description(id).get();
      assertThat(described.state()).isEqualTo(TransactionState.ONGOING);
      assertThat(described.producerId()).isEqualTo(producer.id());
      assertThat(described.producerEpoch()).isEqualTo(producer.epoch());
      assertThat(described.transactionTimeoutMs()).isEqualTo(60_000);
      assertThat(described.transactionStartTimeMs()).isPresent();
      assertThat(described.topicPartitions()).containsExactly(partition);
      List<ProducerState> producers =
          admin
              .describeProducers(List.of(partition))
              .partitionResult(partition)
              .get()
              .activeProducers();
      assertThat(producers).hasSize(1);
      assertThat(producers.get(0).producerId()).isEqualTo(producer.id());
      assertThat(producers.get(0).currentTransactionStartOffset()).hasValue(0);
    }
    txn().end(3, producer, false);
  }

  @Test
  default void a_fenced_producer_has_its_transaction_aborted() throws Exception {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = withOpenTransaction(topic);
    try (Admin admin = admin()) {
      admin
          .fenceProducers(List.of(Talks.text(producer.transactionalId())))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
    assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1");
    assertThat(talk().produce(9, producer, topic, 1, 1)).isEqualTo("INVALID_PRODUCER_EPOCH");
    assertThat(txn().end(4, producer, true)).isEqualTo("PRODUCER_FENCED");
  }

  @Test
  default void a_transaction_can_be_terminated_by_force() throws Exception {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = withOpenTransaction(topic);
    try (Admin admin = admin()) {
      admin
          .forceTerminateTransaction(Talks.text(producer.transactionalId()))
          .result()
          .get(30, TimeUnit.SECONDS);
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1"));
    assertThat(txn().end(4, producer, true)).isEqualTo("PRODUCER_FENCED");
  }
}
