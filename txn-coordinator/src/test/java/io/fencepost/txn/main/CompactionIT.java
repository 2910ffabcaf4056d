package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real clients write and read topics, and the offsets log, that are compacted meanwhile. */
@Timeout(120)
class CompactionIT {
  private static final String TOPIC = "accounts";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int KEYS = 20;
  private static final int TRANSACTIONS = 150;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void clients_see_the_newest_of_each_key_and_the_logs_stop_growing(String codec) throws Exception {
    TreeMap<String, String> wanted = new TreeMap<>();
    try (FencepostServer server = start()) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
        NewTopic topic =
            new NewTopic(TOPIC, 1, (short) 1)
                .configs(
                    Map.of(
                        "cleanup.policy",
                        "compact",
                        "internal.segment.bytes",
                        "20000",
                        "min.cleanable.dirty.ratio",
                        "0.1",
                        "delete.retention.ms",
                        "0"));
        admin.createTopics(List.of(topic)).all().get();
      }
      write(server, codec, wanted);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(logBytes(PARTITION.toString())).isLessThan(60_000);
                assertThat(logBytes("__consumer_offsets-0")).isLessThan(30_000);
              });
      assertThat(view(server)).isEqualTo(wanted);
    }
    try (FencepostServer server = start();
        KafkaConsumer<String, String> consumer = consumer(server)) {
      assertThat(view(server)).isEqualTo(wanted);
      assertThat(consumer.committed(Set.of(PARTITION)).get(PARTITION).offset())
          .isEqualTo(TRANSACTIONS - 1);
    }
  }

  private FencepostServer start() {
    return FencepostServer.start(
        FencepostConfig.builder()
            .dir(directory)
            .set("log.cleaner.backoff.ms", "50")
            .set("offsets.topic.num.partitions", "1")
            .set("offsets.topic.segment.bytes", "10000")
            .set("log.cleaner.min.cleanable.ratio", "0.1")
            .set("log.cleaner.delete.retention.ms", "0")
            .build());
  }

  /** Transactions of ten records and an offset; each fifth is aborted. */
  private static void write(FencepostServer server, String codec, Map<String, String> wanted) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", server.bootstrapServers());
    config.put("transactional.id", "tx");
    config.put("compression.type", codec);
    config.put("linger.ms", 5);
    try (KafkaProducer<String, String> producer =
            new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
        KafkaConsumer<String, String> consumer = consumer(server)) {
      producer.initTransactions();
      for (int round = 0; round < TRANSACTIONS; round++) {
        boolean isAborted = round % 5 == 3;
        producer.beginTransaction();
        for (int i = 0; i < 10; i++) {
          String key = "account " + (round * 7 + i * 3) % KEYS;
          String value =
              (round + i) % 9 == 0 ? null : "balance " + round + " " + "x".repeat(60 + i);
          var unused = producer.send(new ProducerRecord<>(TOPIC, 0, key, value));
          if (!isAborted && value == null) {
            wanted.remove(key);
          } else if (!isAborted) {
            wanted.put(key, value);
          }
        }
        producer.sendOffsetsToTransaction(
            Map.of(PARTITION, new OffsetAndMetadata(round)), consumer.groupMetadata());
        if (isAborted) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
    }
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
                "read_committed"),
            new StringDeserializer(),
            new StringDeserializer());
    consumer.assign(List.of(PARTITION));
    return consumer;
  }

  private static TreeMap<String, String> view(FencepostServer server) {
    TreeMap<String, String> view = new TreeMap<>();
    try (KafkaConsumer<String, String> consumer = consumer(server)) {
      consumer.seekToBeginning(List.of(PARTITION));
      long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
      while (consumer.position(PARTITION) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          view.put(record.key(), record.value());
          if (record.value() == null) {
            view.remove(record.key());
          }
        }
      }
    }
    return view;
  }

  private long logBytes(String partition) {
    try (Stream<Path> files = Files.list(directory.resolve(partition))) {
      long bytes = 0;
      for (Path file : files.filter(name -> name.toString().endsWith(".log")).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    } catch (IOException vanished) {
      throw new UncheckedIOException(vanished);
    }
  }
}
