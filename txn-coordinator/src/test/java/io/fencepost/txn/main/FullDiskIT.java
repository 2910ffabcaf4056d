package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.broker.port.DiskException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file system of 16 MiB that runs full under a server and gets room again. Needs root. */
@Timeout(120)
class FullDiskIT {
  private static final String TOPIC = "charges";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int FIRST = 20;

  @TempDir private Path temporary;
  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(temporary.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()) == 0,
        "no small file system can be mounted here: run as root");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
  }

  private static int run(String... command) throws Exception {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    } catch (IOException absent) {
      return -1;
    }
  }

  @Test
  void writes_are_refused_reads_go_on_and_with_new_room_writes_go_on_without_a_restart()
      throws Exception {
    FencepostConfig config = FencepostConfig.builder().dir(disk.resolve("data")).build();
    try (FencepostServer server = FencepostServer.start(config);
        KafkaProducer<String, String> plain = producer(server, null);
        KafkaProducer<String, String> transactional = producer(server, "tx")) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
        admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
      }
      transactional.initTransactions();
      for (int i = 0; i < FIRST; i++) {
        plain.send(new ProducerRecord<>(TOPIC, 0, "k" + i, "v" + i)).get();
      }
      try (KafkaConsumer<String, String> consumer = consumer(server)) {
        commit(consumer, 1);
        Path ballast = fill();
        // Larger than a page, as the last page of each file still has room.
        String refused = "refused".repeat(1000);
        assertRefused(() -> plain.send(new ProducerRecord<>(TOPIC, 0, "k", refused)).get());
        assertRefused(() -> commit(consumer, 2));
        assertThat(read(server, FIRST)).hasSize(FIRST).endsWith("v" + (FIRST - 1));
        Files.delete(ballast);
      }
      // The producer may have lost count of its sequence: as on Kafka it says so, or goes on.
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptionsInstanceOf(ExecutionException.class)
          .until(
              () -> {
                try (KafkaProducer<String, String> fresh = producer(server, null)) {
                  return fresh.send(new ProducerRecord<>(TOPIC, 0, "k", "again")).get() != null;
                }
              });
      transactional.beginTransaction();
      var unused = transactional.send(new ProducerRecord<>(TOPIC, 0, "k", "in a transaction"));
      transactional.commitTransaction();
      try (KafkaConsumer<String, String> consumer = consumer(server)) {
        commit(consumer, 3);
        assertThat(consumer.committed(Set.of(PARTITION)).get(PARTITION).offset()).isEqualTo(3);
      }
    }
    try (FencepostServer server = FencepostServer.start(config);
        KafkaConsumer<String, String> consumer = consumer(server)) {
      assertThat(consumer.committed(Set.of(PARTITION)).get(PARTITION).offset()).isEqualTo(3);
      List<String> values = read(server, FIRST + 2);
      for (int i = 0; i < FIRST; i++) {
        assertThat(values).containsOnlyOnce("v" + i);
      }
      assertThat(values).contains("again").endsWith("in a transaction");
    }
  }

  @Test
  void a_start_on_a_full_disk_serves_reads_or_says_why_not_and_loses_nothing() throws Exception {
    FencepostConfig config = FencepostConfig.builder().dir(disk.resolve("data")).build();
    try (FencepostServer server = FencepostServer.start(config);
        KafkaProducer<String, String> plain = producer(server, null)) {
      for (int i = 0; i < FIRST; i++) {
        plain.send(new ProducerRecord<>(TOPIC, 0, "k" + i, "v" + i)).get();
      }
    }
    Path ballast = fill();
    try (FencepostServer server = FencepostServer.start(config)) {
      assertThat(read(server, FIRST)).hasSize(FIRST);
    } catch (DiskException refused) {
      assertThat(refused).hasMessageContaining("No space left").hasMessageContaining("free");
    }
    Files.delete(ballast);
    try (FencepostServer server = FencepostServer.start(config);
        KafkaProducer<String, String> plain = producer(server, null)) {
      plain.send(new ProducerRecord<>(TOPIC, 0, "k", "again")).get();
      assertThat(read(server, FIRST + 1)).hasSize(FIRST + 1).endsWith("again");
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  /** With an error that says that it may be tried again, or by running out of time doing so. */
  private static void assertRefused(Call call) {
    assertThatThrownBy(call::run)
        .satisfies(
            refused -> {
              Throwable cause =
                  refused instanceof ExecutionException ? refused.getCause() : refused;
              assertThat(cause).isInstanceOf(RetriableException.class);
            });
  }

  /** Takes all the room there is. */
  private Path fill() throws IOException {
    Path ballast = disk.resolve("ballast");
    ByteBuffer chunk = ByteBuffer.allocate(4096);
    try (FileChannel channel =
        FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (true) {
        chunk.clear();
        channel.write(chunk);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
    return ballast;
  }

  private static KafkaProducer<String, String> producer(FencepostServer server, String id) {
    Map<String, Object> config = new java.util.HashMap<>();
    config.put("bootstrap.servers", server.bootstrapServers());
    config.put("delivery.timeout.ms", 3_000);
    config.put("request.timeout.ms", 2_000);
    config.put("linger.ms", 0);
    if (id != null) {
      config.put("transactional.id", id);
    }
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(FencepostServer server) {
    KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                server.bootstrapServers(),
                "group.id",
                "clerks",
                "enable.auto.commit",
                false,
                "isolation.level",
                "read_committed",
                "default.api.timeout.ms",
                10_000),
            new StringDeserializer(),
            new StringDeserializer());
    consumer.assign(List.of(PARTITION));
    return consumer;
  }

  private static void commit(KafkaConsumer<String, String> consumer, long offset)
      throws KafkaException {
    consumer.commitSync(
        Map.of(PARTITION, new OffsetAndMetadata(offset, "m".repeat(4090))), Duration.ofSeconds(5));
  }

  private static List<String> read(FencepostServer server, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = consumer(server)) {
      consumer.seekToBeginning(List.of(PARTITION));
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(found -> values.add(found.value()));
                return values.size() >= count;
              });
    }
    return values;
  }
}
