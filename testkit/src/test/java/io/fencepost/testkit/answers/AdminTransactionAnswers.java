package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.DescribeProducersRequest;
import io.fencepost.broker.wire.message.DescribeProducersResponse;
import io.fencepost.broker.wire.message.DescribeTransactionsRequest;
import io.fencepost.broker.wire.message.DescribeTransactionsResponse;
import io.fencepost.broker.wire.message.FindCoordinatorRequest;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.broker.wire.message.ListTransactionsRequest;
import io.fencepost.broker.wire.message.ListTransactionsResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

  private String listed(Consumer<ListTransactionsRequest> change) {
    ListTransactionsRequest request = new ListTransactionsRequest();
    change.accept(request);
    ListTransactionsResponse answer =
        talk().ask(ApiKey.LIST_TRANSACTIONS, 2, request, ListTransactionsResponse.class);
    return Talk.name(answer.errorCode)
        + " "
        + answer.transactionStates.stream().map(state -> state.transactionState).toList()
        + answer.unknownStateFilters;
  }

  private String listed(Producer producer, Consumer<ListTransactionsRequest> change) {
    return listed(change.andThen(request -> request.producerIdFilters.add(producer.id())));
  }

  @Test
  default void listed_by_state_and_pattern() {
    Producer open = withOpenTransaction(talk().newTopic(1));
    Consumer<ListTransactionsRequest> nonsense = all -> all.stateFilters.add("ongoing");
    assertThat(listed(open, nonsense)).isEqualTo("NONE [][ongoing]");
    assertThat(listed(open, nonsense.andThen(all -> all.stateFilters.add("Ongoing"))))
        .isEqualTo("NONE [Ongoing][ongoing]");
    assertThat(listed(open, all -> all.transactionalIdPattern = "")).isEqualTo("NONE [Ongoing][]");
    assertThat(listed(open, all -> all.transactionalIdPattern = "x-.*"))
        .isEqualTo("NONE [Ongoing][]");
    assertThat(listed(open, all -> all.transactionalIdPattern = "x-")).isEqualTo("NONE [][]");
    assertThat(listed(all -> all.transactionalIdPattern = "(x"))
        .isEqualTo("INVALID_REGULAR_EXPRESSION [][]");
    assertThat(listed(all -> all.transactionalIdPattern = "(?=x).*"))
        .as("RE2 only")
        .isEqualTo("INVALID_REGULAR_EXPRESSION [][]");
    txn().end(3, open, false);
  }

  @Test
  default void listed_by_duration() {
    Producer open = withOpenTransaction(talk().newTopic(1));
    Producer idle = txn().newProducer();
    Awaitility.await()
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .until(() -> listed(open, all -> all.durationFilter = 0).equals("NONE [Ongoing][]"));
    assertThat(listed(open, all -> all.durationFilter = 600_000)).isEqualTo("NONE [][]");
    assertThat(listed(idle, all -> all.durationFilter = 600_000))
        .isEqualTo("NONE " + listedOfAnIdleIdByDuration() + "[]");
    txn().end(3, open, false);
  }

  /** Kafka takes what did not begin for begun in 1970. */
  default String listedOfAnIdleIdByDuration() {
    return "[Empty]";
  }

  private String described(String id) {
    DescribeTransactionsRequest request = new DescribeTransactionsRequest();
    request.transactionalIds.add(id);
    DescribeTransactionsResponse.TransactionState state =
        talk()
            .ask(ApiKey.DESCRIBE_TRANSACTIONS, 0, request, DescribeTransactionsResponse.class)
            .transactionStates
            .get(0);
    return "%s %s, started %s, %d topics"
        .formatted(
            Talk.name(state.errorCode),
            state.transactionState,
            state.transactionStartTimeMs > 0 ? "once" : state.transactionStartTimeMs,
            state.topics.size());
  }

  @Test
  default void ids_without_an_open_transaction_are_described_too() {
    assertThat(described(Talks.text(txn().newProducer().transactionalId())))
        .isEqualTo("NONE Empty, started -1, 0 topics");
    Producer ended = withOpenTransaction(talk().newTopic(1));
    txn().end(3, ended, true);
    String id = Talks.text(ended.transactionalId());
    assertThat(TxnTalk.until(() -> described(id), answer -> answer.contains("Complete")))
        .isEqualTo("NONE CompleteCommit, started once, 0 topics");
    assertThat(described(Talk.fresh("nobody")))
        .isEqualTo("TRANSACTIONAL_ID_NOT_FOUND , started 0, 0 topics");
    assertThat(described("")).isEqualTo("INVALID_REQUEST , started 0, 0 topics");
  }

  private String producers(String topic, int partition) {
    DescribeProducersRequest.TopicRequest named = new DescribeProducersRequest.TopicRequest();
    named.name = topic;
    named.partitionIndexes.add(partition);
    DescribeProducersRequest request = new DescribeProducersRequest();
    request.topics.add(named);
    DescribeProducersResponse.PartitionResponse answer =
        talk()
            .ask(ApiKey.DESCRIBE_PRODUCERS, 0, request, DescribeProducersResponse.class)
            .topics
            .get(0)
            .partitions
            .get(0);
    return Talk.name(answer.errorCode)
        + answer.activeProducers.stream()
            .map(
                active ->
                    " epoch %d sequence %d coordinator %d open %d"
                        .formatted(
                            active.producerEpoch,
                            active.lastSequence,
                            Math.min(0, active.coordinatorEpoch),
                            active.currentTxnStartOffset))
            .toList();
  }

  @Test
  default void producers_of_a_partition_before_and_after_the_first_marker() {
    Talk.Topic topic = talk().newTopic(1);
    Producer producer = withOpenTransaction(topic);
    assertThat(producers(topic.name(), 0))
        .isEqualTo("NONE[ epoch 0 sequence 0 coordinator -1 open 0]");
    txn().end(3, producer, true);
    assertThat(TxnTalk.until(() -> producers(topic.name(), 0), text -> text.contains("open -1")))
        .isEqualTo("NONE[ epoch 0 sequence 0 coordinator 0 open -1]");
    assertThat(producers(topic.name(), 9)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION[]");
    assertThat(producers(Talk.fresh("none"), 0)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION[]");
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
        .untilAsserted(
            () -> assertThat(talk().log(topic, 0)).containsExactly("data 0-0 e0", "abort 1-1 e1"));
    assertThat(txn().end(4, producer, true)).isEqualTo("PRODUCER_FENCED");
  }

  @Test
  default void a_coordinator_is_found_in_each_version() {
    for (int version = 0; version <= 6; version++) {
      FindCoordinatorRequest request = new FindCoordinatorRequest();
      request.key = version < 4 ? "any" : "";
      if (version >= 4) {
        request.coordinatorKeys.add("any");
      }
      FindCoordinatorResponse answer =
          talk().ask(ApiKey.FIND_COORDINATOR, version, request, FindCoordinatorResponse.class);
      List<Object> told =
          version < 4
              ? List.of(Talk.name(answer.errorCode), answer.nodeId)
              : List.of(
                  Talk.name(answer.coordinators.get(0).errorCode),
                  answer.coordinators.get(0).nodeId);
      assertThat(told).as("version %d", version).containsExactly("NONE", 1);
      if (version >= 1 && version < 4) {
        assertThat(answer.errorMessage).isEqualTo("NONE");
      }
    }
  }
}
