package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kafka's own clients behind a proxy of three brokers, which are numbered from 1. What is written
 * is read past the proxy, and the cluster is whole again after each test.
 */
abstract class ProxyClusterBehaviour {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final short NODES = 3;
  private static final int PARTITIONS = 6;
  private static int topics;

  private String topic = "";

  abstract String upstream();

  abstract void kill(int broker);

  abstract void restart(int broker);

  abstract void moveLeader(TopicPartition partition, int broker) throws Exception;

  @BeforeEach
  void createTopic() throws Exception {
    topic = "behind-" + ++topics;
    try (Admin admin = admin(upstream())) {
      NewTopic wanted = new NewTopic(topic, PARTITIONS, NODES);
      admin.createTopics(List.of(wanted.configs(Map.of("min.insync.replicas", "2")))).all().get();
    }
    awaitAllInSync();
  }

  @Test
  void whoever_asks_is_told_ports_of_the_proxy_only() throws Exception {
    try (FaultProxy proxy = proxy("Produce#1000000:request-lost");
        Admin admin = admin(proxy.bootstrapServers())) {
      TreeSet<Integer> real = ports(upstream());
      try (KafkaProducer<String, String> producer = producer(proxy, "told");
          KafkaConsumer<String, String> member = consumer(proxy.bootstrapServers(), topic)) {
        producer.initTransactions();
        transaction(producer, 0, 12, member);
      }
      List<Node> told = new ArrayList<>(admin.describeCluster().nodes().get());
      assertThat(told).extracting(Node::id).containsExactlyInAnyOrder(1, 2, 3);
      told.add(admin.describeCluster().controller().get());
      for (TopicPartitionInfo partition : describe(admin).partitions()) {
        told.add(partition.leader());
        told.addAll(partition.replicas());
        told.addAll(partition.isr());
      }
      told.add(
          admin
              .describeConsumerGroups(List.of(topic))
              .describedGroups()
              .get(topic)
              .get()
              .coordinator());
      assertThat(told)
          .allSatisfy(
              node -> {
                assertThat(node.host()).isEqualTo("127.0.0.1");
                assertThat(node.port()).isNotIn(real);
              });
      assertThat(read(12)).hasSize(12).doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Produce%4:answer-lost; EndTxn%3:answer-lost",
        "Produce[broker=1]%2:request-lost; Produce[broker=2]%2:duplicated",
        "TxnOffsetCommit%2:answer-lost; FindCoordinator#1:request-lost;"
            + " FindCoordinator#3:answer-lost",
      })
  void transactions_over_three_brokers_are_there_once(String plan) throws Exception {
    try (FaultProxy proxy = proxy(plan)) {
      try (KafkaProducer<String, String> producer = producer(proxy, "once-" + topic);
          KafkaConsumer<String, String> member = consumer(upstream(), topic)) {
        producer.initTransactions();
        for (int i = 0; i < 60; i += 12) {
          transaction(producer, i, i + 12, member);
        }
        TopicPartition first = new TopicPartition(topic, 0);
        assertThat(member.committed(Set.of(first)).get(first).offset()).isEqualTo(60);
      }
      assertThat(proxy.faults().unfired()).isEmpty();
      assertThat(read(60)).hasSize(60).doesNotHaveDuplicates();
    }
  }

  @Test
  void a_plan_picks_the_broker() throws Exception {
    try (FaultProxy proxy = proxy("Produce[broker=2]%3:answer-lost")) {
      try (KafkaProducer<String, String> producer = producer(proxy, "")) {
        send(producer, 0, 60);
      }
      assertThat(proxy.faults().fired())
          .isNotEmpty()
          .extracting(fired -> fired.facts().broker())
          .containsOnly(2);
      assertThat(read(60)).hasSize(60).doesNotHaveDuplicates();
    }
  }

  @Test
  void a_leader_that_moves_is_found_again() throws Exception {
    TopicPartition moved = new TopicPartition(topic, 0);
    try (FaultProxy proxy = proxy("Produce[%s-0]#1:answer-lost".formatted(topic));
        KafkaProducer<String, String> producer = producer(proxy, "")) {
      for (int turn = 0; turn < NODES; turn++) {
        moveLeader(moved, turn + 1);
        send(producer, turn * 12, turn * 12 + 12);
        assertThat(leader(moved)).isEqualTo(turn + 1);
      }
      assertThat(read(36)).hasSize(36).doesNotHaveDuplicates();
    }
  }

  @Test
  void a_broker_killed_by_the_plan_comes_back_under_its_number() throws Exception {
    List<Integer> killed = new ArrayList<>();
    Consumer<Fired> acts =
        fired -> {
          kill(fired.action().number());
          killed.add(fired.action().number());
        };
    try (FaultProxy proxy = proxy("kill broker 2@Produce[broker=2]#4", acts);
        KafkaProducer<String, String> producer = producer(proxy, "")) {
      send(producer, 0, 60);
      assertThat(killed).containsExactly(2);
      restart(2);
      awaitAllInSync();
      moveLeader(new TopicPartition(topic, 1), 2);
      send(producer, 60, 120);
      assertThat(read(120)).hasSize(120).doesNotHaveDuplicates();
      try (KafkaConsumer<String, String> behind = consumer(proxy.bootstrapServers(), topic)) {
        assertThat(read(behind, 120)).hasSize(120).doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void a_broker_that_joins_later_is_behind_the_proxy_as_well() throws Exception {
    String all = upstream();
    kill(3);
    try (FaultProxy proxy = proxy("Produce[broker=3]#1:answer-lost");
        KafkaProducer<String, String> producer = producer(proxy, "")) {
      send(producer, 0, 12);
      assertThat(proxy.faults().fired()).isEmpty();
      restart(3);
      awaitAllInSync();
      moveLeader(new TopicPartition(topic, 0), 3);
      send(producer, 12, 24);
      assertThat(proxy.faults().fired()).as("it is asked through the proxy").hasSize(1);
      try (Admin admin = admin(proxy.bootstrapServers())) {
        assertThat(admin.describeCluster().nodes().get())
            .hasSize(NODES)
            .allSatisfy(node -> assertThat(node.port()).isNotIn(ports(all)));
      }
      assertThat(read(24)).hasSize(24).doesNotHaveDuplicates();
    }
  }

  /** One record after the other, each to the next partition. */
  private void send(KafkaProducer<String, String> producer, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, "v" + i)).get();
    }
  }

  private void transaction(
      KafkaProducer<String, String> producer,
      int from,
      int to,
      KafkaConsumer<String, String> member)
      throws Exception {
    producer.beginTransaction();
    send(producer, from, to);
    producer.sendOffsetsToTransaction(
        Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(to)), member.groupMetadata());
    producer.commitTransaction();
  }

  final int leader(TopicPartition partition) throws Exception {
    try (Admin admin = admin(upstream())) {
      return describe(admin).partitions().get(partition.partition()).leader().id();
    }
  }

  private TopicDescription describe(Admin admin) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  final void awaitAllInSync() {
    try (Admin admin = admin(upstream())) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(
              () ->
                  describe(admin).partitions().stream()
                      .allMatch(it -> it.isr().size() == NODES && it.leader() != null));
    }
  }

  private static TreeSet<Integer> ports(String bootstrap) {
    TreeSet<Integer> ports = new TreeSet<>();
    for (String address : bootstrap.split(",", -1)) {
      ports.add(Endpoint.parse(address).port());
    }
    return ports;
  }

  private FaultProxy proxy(String plan) {
    return FaultProxy.start(upstream(), FaultPlan.parse(plan));
  }

  private FaultProxy proxy(String plan, Consumer<Fired> acts) {
    Faults faults = Faults.of(FaultPlan.parse(plan), new SystemClock());
    return FaultProxy.start(upstream(), 0, faults, acts);
  }

  static Admin admin(String bootstrap) {
    return Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap));
  }

  private static KafkaProducer<String, String> producer(FaultProxy proxy, String transactionalId) {
    TreeMap<String, Object> all = new TreeMap<>();
    all.put("bootstrap.servers", proxy.bootstrapServers());
    all.put("linger.ms", "0");
    all.put("request.timeout.ms", "3000");
    all.put("delivery.timeout.ms", String.valueOf(PATIENCE.toMillis()));
    all.put("max.block.ms", String.valueOf(PATIENCE.toMillis()));
    all.put("retry.backoff.ms", "20");
    all.put("reconnect.backoff.ms", "10");
    all.put("reconnect.backoff.max.ms", "50");
    if (!transactionalId.isEmpty()) {
      all.put("transactional.id", transactionalId);
    }
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(String bootstrap, String group) {
    TreeMap<String, Object> all = new TreeMap<>();
    all.put("bootstrap.servers", bootstrap);
    all.put("group.id", group);
    all.put("enable.auto.commit", "false");
    all.put("isolation.level", "read_committed");
    all.put("default.api.timeout.ms", String.valueOf(PATIENCE.toMillis()));
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  private List<String> read(int count) {
    try (KafkaConsumer<String, String> reader = consumer(upstream(), "reader-" + topic)) {
      return read(reader, count);
    }
  }

  /** All committed records up to the ends, which are behind so many. */
  private List<String> read(KafkaConsumer<String, String> reader, int count) {
    List<TopicPartition> partitions =
        IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(topic, i)).toList();
    reader.assign(partitions);
    reader.seekToBeginning(partitions);
    List<String> values = new ArrayList<>();
    await()
        .atMost(PATIENCE)
        .pollInSameThread()
        .until(
            () -> {
              reader.poll(Duration.ofMillis(100)).forEach(it -> values.add(it.value()));
              Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
              return values.size() >= count
                  && partitions.stream().allMatch(it -> reader.position(it) >= ends.get(it));
            });
    return values;
  }
}
