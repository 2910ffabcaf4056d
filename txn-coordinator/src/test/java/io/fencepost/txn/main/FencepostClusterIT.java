package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.check.Finding;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FencepostClusterIT {
  @TempDir private Path directory;
  private FencepostCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster =
        FencepostCluster.start(
            ClusterConfig.builder()
                .dir(directory)
                .set("replica.lag.time.max.ms", "500")
                .set("broker.session.timeout.ms", "500")
                .build());
    try (Admin admin = Admin.create(common())) {
      admin
          .createTopics(
              List.of(
                  new NewTopic("payments", 3, (short) 3)
                      .configs(Map.of("min.insync.replicas", "2"))))
          .all()
          .get();
    }
  }

  @AfterEach
  void stop() {
    cluster.close();
    assertThat(damage()).isEmpty();
  }

  private List<Finding> damage() {
    List<Finding> findings = new ArrayList<>();
    DataDirectory.check(directory, findings::add);
    return findings.stream().filter(Finding::isDamage).toList();
  }

  private Map<String, Object> common() {
    return Map.of("bootstrap.servers", cluster.bootstrapServers());
  }

  private KafkaProducer<String, String> producer(Map<String, Object> extra) {
    Map<String, Object> all = new HashMap<>(common());
    all.putAll(extra);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private List<String> read(int count) {
    Map<String, Object> all = new HashMap<>(common());
    all.put("auto.offset.reset", "earliest");
    all.put("isolation.level", "read_committed");
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(
          List.of(
              new TopicPartition("payments", 0),
              new TopicPartition("payments", 1),
              new TopicPartition("payments", 2)));
      while (values.size() < count) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }

  @Test
  void a_client_finds_three_brokers_with_balanced_leaders() throws Exception {
    try (Admin admin = Admin.create(common())) {
      assertThat(admin.describeCluster().nodes().get()).hasSize(3);
    }
    assertThat(
            List.of(
                cluster.leaderOf("payments", 0),
                cluster.leaderOf("payments", 1),
                cluster.leaderOf("payments", 2)))
        .containsExactlyInAnyOrder(1, 2, 3);
    assertThat(cluster.isr("payments", 0)).containsExactly(1, 2, 3);
  }

  @Test
  void L8_a_check_finds_what_differs_between_replicas() throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      for (int i = 0; i < 5; i++) {
        producer.send(new ProducerRecord<>("payments", 0, "k", "value " + i)).get();
      }
    }
    cluster.awaitHighWatermark("payments", 0, 5);
    cluster.close();
    Path log = directory.resolve("broker-2/payments-0/00000000000000000000.log");
    byte[] whole = Files.readAllBytes(log);
    // Another leader epoch, which no checksum covers: as if another leader had written it.
    byte[] other = whole.clone();
    other[15] = 9;
    Files.write(log, other);
    List<Finding> findings = new ArrayList<>();
    DataDirectory.check(directory, findings::add);
    assertThat(findings.toString()).contains("broker-1/payments-0", "leader epoch");
    Files.write(log, whole);
  }

  @Test
  void a_check_misses_the_directory_of_a_broker_and_looks_at_the_others() throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      producer.send(new ProducerRecord<>("payments", 0, "k", "value")).get();
    }
    cluster.awaitHighWatermark("payments", 0, 1);
    cluster.close();
    Path home = directory.resolve("broker-1");
    Path away = directory.resolve("away");
    Files.move(home, away);
    List<Finding> findings = new ArrayList<>();
    DataDirectory.Checked checked = DataDirectory.check(directory, findings::add);
    Files.move(away, home);
    assertThat(findings.toString()).contains("broker-1: the directory is missing");
    assertThat(checked.partitionCount()).isEqualTo(6);
  }

  @Test
  void a_cluster_without_its_controller_s_directory_is_refused_with_the_reason() throws Exception {
    cluster.close();
    Path home = directory.resolve("controller");
    Path away = directory.resolve("away");
    Files.move(home, away);
    assertThatThrownBy(() -> FencepostCluster.start(ClusterConfig.builder().dir(directory).build()))
        .hasMessageContaining("has lost its directory controller");
    assertThat(damage().toString()).contains("lost its directory controller");
    Files.move(away, home);
    Path journal = home.resolve("metadata.journal");
    Files.move(journal, away);
    assertThatThrownBy(() -> FencepostCluster.start(ClusterConfig.builder().dir(directory).build()))
        .hasMessageContaining("has lost its file controller/metadata.journal");
    List<Finding> findings = new ArrayList<>();
    DataDirectory.check(directory, findings::add);
    assertThat(findings).hasSize(1);
    assertThat(directory.resolve("broker-1/payments-0")).exists();
    Files.move(away, journal);
  }

  @Test
  void a_cluster_grows_and_what_was_there_stays_where_it_is() throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      producer.send(new ProducerRecord<>("payments", 0, "k", "old")).get();
    }
    cluster.close();
    try (FencepostCluster grown =
        FencepostCluster.start(ClusterConfig.builder().dir(directory).brokers(5).build())) {
      assertThat(grown.replicas("payments", 0)).containsExactlyInAnyOrder(1, 2, 3);
      grown.awaitHighWatermark("payments", 0, 1);
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", grown.bootstrapServers()))) {
        admin.createTopics(List.of(new NewTopic("wide", 1, (short) 5))).all().get();
      }
      grown.awaitIsr("wide", 0, 1, 2, 3, 4, 5);
    }
    assertThatThrownBy(() -> FencepostCluster.start(ClusterConfig.builder().dir(directory).build()))
        .hasMessageContaining("has more than 3 brokers");
  }

  @Test
  void a_broker_deletes_what_is_left_of_a_topic_that_was_deleted_while_it_was_down()
      throws Exception {
    cluster.kill(2);
    try (Admin admin = Admin.create(common())) {
      admin.deleteTopics(List.of("payments")).all().get();
    }
    Path left = directory.resolve("broker-2/payments-0");
    assertThat(left).exists();
    cluster.restart(2);
    assertThat(left).doesNotExist();
  }

  @Test
  void a_broker_that_is_cut_off_when_it_starts_deletes_nothing() throws Exception {
    cluster.kill(2);
    cluster.isolate(2);
    cluster.restart(2);
    assertThat(directory.resolve("broker-2/payments-0")).exists();
    cluster.heal();
    cluster.awaitIsr("payments", 0, 1, 2, 3);
  }

  @Test
  void nobody_else_gets_the_port_of_a_broker_that_is_down() throws Exception {
    cluster.kill(2);
    assertThatPortIsKept(2);
    cluster.restart(2);
    cluster.awaitAllInSync();
    cluster.stop(2);
    assertThatPortIsKept(2);
    cluster.restart(2);
    cluster.awaitAllInSync();
  }

  private void assertThatPortIsKept(int broker) throws IOException {
    String[] address = cluster.bootstrapServers(broker).split(":");
    InetSocketAddress own = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
    try (ServerSocketChannel stranger = ServerSocketChannel.open();
        SocketChannel client = SocketChannel.open()) {
      stranger.setOption(StandardSocketOptions.SO_REUSEADDR, false);
      assertThatThrownBy(() -> stranger.bind(own)).isInstanceOf(BindException.class);
      assertThatThrownBy(() -> client.connect(own)).isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void a_broker_comes_back_with_an_empty_or_damaged_disk_and_nothing_is_lost() throws Exception {
    List<String> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 30; i++) {
          String value = round + "-" + i;
          producer.send(new ProducerRecord<>("payments", i % 3, "k", value)).get();
          sent.add(value);
        }
        int broker = 1 + round % 3;
        cluster.kill(broker);
        if (round % 2 == 0) {
          cluster.wipe(broker);
        } else {
          damage(broker);
        }
        cluster.restart(broker);
        cluster.awaitAllInSync();
      }
    }
    assertThat(read(sent.size())).containsExactlyInAnyOrderElementsOf(sent);
  }

  /** One partition in the middle of its log, one gone, one cut short. */
  private void damage(int broker) throws IOException {
    Path home = directory.resolve("broker-" + broker);
    Path first = home.resolve("payments-0/00000000000000000000.log");
    byte[] bytes = Files.readAllBytes(first);
    bytes[bytes.length / 2] ^= 1;
    Files.write(first, bytes);
    try (Stream<Path> files = Files.list(home.resolve("payments-1"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(home.resolve("payments-1"));
    Path third = home.resolve("payments-2/00000000000000000000.log");
    byte[] whole = Files.readAllBytes(third);
    Files.write(third, Arrays.copyOf(whole, whole.length / 3));
  }

  @Test
  void what_was_acknowledged_survives_each_leader_in_turn() throws Exception {
    List<String> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      for (int round = 0; round < 6; round++) {
        int broker = 1 + round % 3;
        for (int i = 0; i < 20; i++) {
          String value = round + "-" + i;
          producer.send(new ProducerRecord<>("payments", i % 3, "k", value)).get();
          sent.add(value);
          if (i == 10) {
            cluster.kill(broker, round % 2 == 0 ? Unforced.LOST : Unforced.KEPT);
          }
        }
        cluster.restart(broker);
        cluster.awaitAllInSync();
      }
    }
    assertThat(read(sent.size())).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void transactions_with_offsets_survive_the_death_of_any_broker() throws Exception {
    List<String> committed = new ArrayList<>();
    Map<String, Object> group = new HashMap<>(common());
    group.put("group.id", "job");
    try (KafkaConsumer<String, String> offsets =
            new KafkaConsumer<>(group, new StringDeserializer(), new StringDeserializer());
        KafkaProducer<String, String> producer = producer(Map.of("transactional.id", "job"))) {
      producer.initTransactions();
      for (int round = 0; round < 9; round++) {
        producer.beginTransaction();
        List<String> values = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
          String value = round + "-" + i;
          var unused = producer.send(new ProducerRecord<>("payments", i % 3, "k", value));
          values.add(value);
        }
        int broker = 1 + round % 3;
        if (round % 2 == 0) {
          cluster.kill(broker);
        }
        producer.sendOffsetsToTransaction(
            Map.of(new TopicPartition("payments", 0), new OffsetAndMetadata(round + 1)),
            offsets.groupMetadata());
        if (round % 3 == 2) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
          committed.addAll(values);
        }
        if (round % 2 == 0) {
          cluster.restart(broker);
          cluster.awaitAllInSync();
        }
      }
    }
    assertThat(read(committed.size())).containsExactlyInAnyOrderElementsOf(committed);
    try (Admin admin = Admin.create(common())) {
      assertThat(
              admin
                  .listConsumerGroupOffsets("job")
                  .partitionsToOffsetAndMetadata()
                  .get(10, TimeUnit.SECONDS)
                  .get(new TopicPartition("payments", 0))
                  .offset())
          .isEqualTo(8);
    }
  }

  @Test
  void a_leader_that_is_cut_off_is_replaced_and_its_uncommitted_tail_is_gone_after_the_heal()
      throws Exception {
    int leader = cluster.leaderOf("payments", 0);
    // It waits that long for the leader that is cut off, and asks another then.
    try (KafkaProducer<String, String> producer = producer(Map.of("request.timeout.ms", 1_000))) {
      producer.send(new ProducerRecord<>("payments", 0, "k", "first")).get();
      cluster.isolate(leader);
      producer.send(new ProducerRecord<>("payments", 0, "k", "second")).get();
      assertThat(cluster.leaderOf("payments", 0)).isNotEqualTo(leader);
      cluster.heal();
      cluster.awaitIsr("payments", 0, 1, 2, 3);
      cluster.awaitHighWatermark("payments", 0, 2);
      cluster.awaitLogEnd("payments", 0, leader, 2);
      assertThat(cluster.logEnd("payments", 0, leader)).isEqualTo(2);
    }
    assertThat(read(2)).containsExactly("first", "second");
  }
}
