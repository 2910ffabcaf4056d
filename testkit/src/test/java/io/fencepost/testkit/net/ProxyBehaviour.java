package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Fired;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own clients behind the proxy: what each fault looks like to them, and to the log. */
abstract class ProxyBehaviour {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static int topics;

  private String topic = "";

  abstract String upstream();

  @BeforeEach
  void createTopic() throws Exception {
    topic = "proxy-" + ++topics;
    try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", upstream()))) {
      admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    }
    // A new leader of Apache Kafka may refuse what comes first, and plans count requests.
    assertThat(endOffset(0) + endOffset(1)).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Produce%3:answer-lost",
        "Produce%3:request-lost",
        "Produce%3:duplicated",
        "Produce%3:answered=NOT_LEADER_OR_FOLLOWER",
        "Produce#5:delayed=3s",
        "Produce~0.4/7:answer-lost; Metadata%2:request-lost",
        "InitProducerId#1:answer-lost; InitProducerId#2:answered=COORDINATOR_LOAD_IN_PROGRESS",
      })
  void an_idempotent_producer_writes_everything_once(String plan) throws Exception {
    try (FaultProxy proxy = proxy(plan)) {
      try (KafkaProducer<String, String> producer = producer(proxy, Map.of())) {
        for (int i = 0; i < 20; i++) {
          producer.send(new ProducerRecord<>(topic, 0, null, "v" + i)).get();
        }
      }
      assertAllFired(proxy);
      assertThat(read(upstream(), 20)).hasSize(20).doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "answer-lost, 2",
    "duplicated, 2",
    "request-lost, 1",
    "answered=NOT_LEADER_OR_FOLLOWER, 1"
  })
  void without_idempotence_the_log_shows_what_was_done_to_the_request(String action, int copies)
      throws Exception {
    try (FaultProxy proxy = proxy("Produce#1:" + action)) {
      try (KafkaProducer<String, String> producer =
          producer(proxy, Map.of(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false"))) {
        producer.send(new ProducerRecord<>(topic, 0, null, "v")).get();
      }
      assertAllFired(proxy);
      Awaitility.await().atMost(PATIENCE).until(() -> endOffset(0) >= copies);
      assertThat(endOffset(0)).isEqualTo(copies);
    }
  }

  @Test
  void a_batch_without_acks_passes_and_can_be_lost() throws Exception {
    try (FaultProxy proxy = proxy("Produce#2:request-lost; Produce#3:delayed=1s")) {
      try (KafkaProducer<String, String> producer =
          producer(
              proxy,
              Map.of(
                  ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false",
                  ProducerConfig.ACKS_CONFIG, "0"))) {
        for (int i = 0; i < 5; i++) {
          producer.send(new ProducerRecord<>(topic, 0, null, "v" + i)).get();
          producer.flush();
          int sent = i;
          Awaitility.await()
              .atMost(PATIENCE)
              .until(() -> sent == 1 ? proxy.faults().fired().size() == 1 : endOffset(0) >= sent);
        }
      }
      assertThat(read(upstream(), 4)).containsExactly("v0", "v2", "v3", "v4");
      assertThat(proxy.faults().unfired()).as("no answer to delay").hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EndTxn%1:duplicated",
        "EndTxn#1:answer-lost; EndTxn#3:answer-lost; EndTxn#5:request-lost",
        "EndTxn#2:answered=COORDINATOR_NOT_AVAILABLE; EndTxn#3:answered=NOT_COORDINATOR",
        "FindCoordinator#1:answered=COORDINATOR_NOT_AVAILABLE; FindCoordinator#2:answer-lost",
        "TxnOffsetCommit#1:answer-lost; TxnOffsetCommit#3:answered=COORDINATOR_LOAD_IN_PROGRESS",
        "InitProducerId[txn=proxy]#1:request-lost; Produce[txn=proxy]%2:answer-lost",
      })
  void a_transaction_is_there_once_with_its_offsets(String plan) throws Exception {
    Map<TopicPartition, OffsetAndMetadata> offsets = new TreeMap<>(ProxyBehaviour::compare);
    try (FaultProxy proxy = proxy(plan);
        KafkaConsumer<String, String> member = consumer(upstream(), "group-" + topic)) {
      try (KafkaProducer<String, String> producer =
          producer(proxy, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "proxy"))) {
        producer.initTransactions();
        for (int i = 0; i < 3; i++) {
          producer.beginTransaction();
          Future<?> first = producer.send(new ProducerRecord<>(topic, 0, null, "a" + i));
          Future<?> second = producer.send(new ProducerRecord<>(topic, 1, null, "b" + i));
          offsets.put(new TopicPartition(topic, 0), new OffsetAndMetadata(i + 1));
          producer.sendOffsetsToTransaction(offsets, member.groupMetadata());
          producer.commitTransaction();
          first.get();
          second.get();
        }
      }
      assertAllFired(proxy);
      assertThat(read(upstream(), 6)).hasSize(6).doesNotHaveDuplicates();
      assertThat(member.committed(offsets.keySet()).get(new TopicPartition(topic, 0)).offset())
          .isEqualTo(3);
    }
  }

  @Test
  void a_fatal_answer_reaches_the_application() throws Exception {
    try (FaultProxy proxy = proxy("EndTxn:answered=INVALID_TXN_STATE");
        KafkaProducer<String, String> producer =
            producer(proxy, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "fatal"))) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, 0, null, "never")).get();
      assertThatThrownBy(producer::commitTransaction).isInstanceOf(InvalidTxnStateException.class);
    }
  }

  @Test
  void faults_hit_the_transactional_id_and_the_partition_that_they_name() throws Exception {
    try (FaultProxy proxy =
        proxy(
            "EndTxn[txn=hit]#1:answer-lost; Produce[%s-1]#2:duplicated; Produce[topic=%s,client=c]#1:answer-lost"
                .formatted(topic, topic))) {
      for (String id : List.of("miss", "hit")) {
        try (KafkaProducer<String, String> producer =
            producer(
                proxy,
                Map.of(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    id,
                    ProducerConfig.CLIENT_ID_CONFIG,
                    id.equals("hit") ? "c" : "d"))) {
          producer.initTransactions();
          producer.beginTransaction();
          producer.send(new ProducerRecord<>(topic, 0, null, id + 0)).get();
          producer.send(new ProducerRecord<>(topic, 1, null, id + 1)).get();
          producer.commitTransaction();
        }
      }
      assertThat(proxy.faults().fired())
          .extracting(fired -> fired.action() + " " + fired.facts().transactionalId())
          .containsExactlyInAnyOrder("answer-lost hit", "answer-lost hit", "duplicated hit");
      assertThat(proxy.faults().fired())
          .extracting(Fired::toString)
          .anySatisfy(line -> assertThat(line).contains("EndTxn[txn=hit]#1 answer-lost (txn=hit"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Fetch%3:answer-lost",
        "Fetch%3:request-lost; Fetch#1:duplicated",
        "Fetch[TOPIC-0]#2:answered=NOT_LEADER_OR_FOLLOWER;"
            + " Fetch#4:answered=FETCH_SESSION_ID_NOT_FOUND",
        "ListOffsets#1:answered=LEADER_NOT_AVAILABLE; Metadata#2:answer-lost",
        "FindCoordinator#1:answered=COORDINATOR_NOT_AVAILABLE; OffsetFetch#1:answer-lost",
        "OffsetFetch#1:answered=COORDINATOR_LOAD_IN_PROGRESS; OffsetCommit#1:answer-lost",
        "JoinGroup#1:answer-lost; SyncGroup#1:answered=REBALANCE_IN_PROGRESS",
        "Heartbeat#1:answered=REBALANCE_IN_PROGRESS; OffsetCommit#1:duplicated",
      })
  void a_consumer_reads_everything(String plan) throws Exception {
    try (KafkaProducer<String, String> producer = producer(upstream(), Map.of())) {
      for (int i = 0; i < 50; i++) {
        producer.send(new ProducerRecord<>(topic, i % 2, null, "v" + i)).get();
      }
    }
    try (FaultProxy proxy = proxy(plan.replace("TOPIC", topic));
        KafkaConsumer<String, String> consumer =
            consumer(proxy.bootstrapServers(), "group-" + topic)) {
      consumer.subscribe(List.of(topic));
      TreeMap<String, Integer> read = new TreeMap<>();
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInSameThread()
          .until(
              () -> {
                consumer
                    .poll(Duration.ofMillis(100))
                    .forEach(it -> read.merge(it.value(), 1, Integer::sum));
                consumer.commitSync();
                return read.size() == 50 && proxy.faults().unfired().isEmpty();
              });
      assertThat(read).hasSize(50);
    }
  }

  private void assertAllFired(FaultProxy proxy) {
    assertThat(proxy.faults().fired()).isNotEmpty();
    assertThat(proxy.faults().unfired()).isEmpty();
  }

  private FaultProxy proxy(String plan) {
    return FaultProxy.start(upstream(), FaultPlan.parse(plan));
  }

  private static KafkaProducer<String, String> producer(
      FaultProxy proxy, Map<String, String> settings) {
    return producer(proxy.bootstrapServers(), settings);
  }

  private static KafkaProducer<String, String> producer(
      String bootstrap, Map<String, String> settings) {
    Properties all = new Properties();
    all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    all.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "1500");
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "60000");
    all.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "20");
    all.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, "10");
    all.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "50");
    all.putAll(settings);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(String bootstrap, String group) {
    Properties all = new Properties();
    all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "100");
    all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "6000");
    all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "200");
    all.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, "20");
    all.put(ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG, "10");
    all.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "50");
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  /**
   * All committed records, read past the proxy until the last of so many, and what comes with it.
   */
  private List<String> read(String bootstrap, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> reader = consumer(bootstrap, "reader-" + topic)) {
      List<TopicPartition> partitions =
          List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
      reader.assign(partitions);
      reader.seekToBeginning(partitions);
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInSameThread()
          .until(
              () -> {
                reader.poll(Duration.ofMillis(100)).forEach(it -> values.add(it.value()));
                return values.size() >= count
                    && partitions.stream()
                        .allMatch(it -> reader.position(it) >= endOffset(it.partition()));
              });
    }
    return values;
  }

  private long endOffset(int partition) {
    TopicPartition asked = new TopicPartition(topic, partition);
    try (KafkaConsumer<String, String> reader = consumer(upstream(), "end-" + topic)) {
      return reader.endOffsets(List.of(asked)).get(asked);
    }
  }

  private static int compare(TopicPartition left, TopicPartition right) {
    return left.toString().compareTo(right.toString());
  }
}
