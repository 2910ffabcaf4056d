package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.cluster.NewTopic;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All brokers die at once: what a copy of the directory of a cluster at work comes back as. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterCrashIT {
  private static final String TOPIC = "payments";
  private static final int RECORDS = 40;

  @TempDir private Path directory;
  private Path crashed;
  private int leader;

  @BeforeEach
  void crash() throws Exception {
    crashed = directory.resolve("crashed");
    Path alive = directory.resolve("alive");
    try (FencepostCluster cluster = start(alive)) {
      var unused =
          cluster
              .broker(1)
              .services()
              .controller()
              .createTopic(new NewTopic(TOPIC, 1, 3, new TreeMap<>(), new TreeMap<>()));
      leader = cluster.leaderOf(TOPIC, 0);
      send(cluster, RECORDS);
      for (int broker : cluster.brokers()) {
        cluster.awaitLogEnd(TOPIC, 0, broker, RECORDS);
      }
      copy(alive, crashed);
    }
  }

  @AfterEach
  void nothing_is_damaged() {
    DataDirectory.check(
        crashed, finding -> assertThat(finding.isDamage()).as(finding.toString()).isFalse());
  }

  private static FencepostCluster start(Path at) {
    return FencepostCluster.start(
        ClusterConfig.builder().dir(at).set("default.replication.factor", "3").build());
  }

  private static void send(FencepostCluster cluster, int count) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", cluster.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(TOPIC, 0, null, "v")).get();
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    } catch (UncheckedIOException | NoSuchFileException moved) {
      throw new AssertionError("files come and go in " + from, moved);
    }
  }

  /** Cuts the log of one broker behind so many bytes. */
  private void cut(int broker, long bytes) throws IOException {
    Path log = crashed.resolve("broker-" + broker + "/payments-0/00000000000000000000.log");
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.setLength(bytes < 0 ? file.length() + bytes : bytes);
    }
  }

  @Test
  void a_leader_that_came_back_empty_follows_those_that_have_the_records() throws Exception {
    cut(leader, 0);
    try (FencepostCluster cluster = start(crashed)) {
      assertThat(cluster.awaitLeader(TOPIC, 0)).isNotEqualTo(leader);
      cluster.awaitIsr(TOPIC, 0, 1, 2, 3);
      cluster.awaitLogEnd(TOPIC, 0, leader, RECORDS);
      cluster.awaitHighWatermark(TOPIC, 0, RECORDS);
      send(cluster, 1);
      assertThat(cluster.logEnd(TOPIC, 0)).isEqualTo(RECORDS + 1);
    }
  }

  @Test
  void of_three_torn_logs_the_longest_leads() throws Exception {
    cut(1, -1);
    cut(2, 500);
    cut(3, 100);
    try (FencepostCluster cluster = start(crashed)) {
      assertThat(cluster.awaitLeader(TOPIC, 0)).isEqualTo(1);
      cluster.awaitIsr(TOPIC, 0, 1, 2, 3);
      assertThat(cluster.logEnd(TOPIC, 0)).isEqualTo(RECORDS - 1);
    }
  }

  @Test
  void who_led_before_leads_again_if_nothing_is_missing() {
    try (FencepostCluster cluster = start(crashed)) {
      assertThat(cluster.leaderOf(TOPIC, 0)).isEqualTo(leader);
      assertThat(cluster.isr(TOPIC, 0)).containsExactlyElementsOf(List.of(1, 2, 3));
      cluster.awaitHighWatermark(TOPIC, 0, RECORDS);
    }
  }
}
