package io.fencepost.testkit.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A topic of one partition; its records read as texts like {@code 3 key=value}. */
final class KeptTopic {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final MaintenanceClients clients;
  private final TopicPartition partition;
  private final long startMs = System.currentTimeMillis();
  private long timestamp = startMs;

  KeptTopic(MaintenanceClients clients, String name) {
    this.clients = clients;
    this.partition = new TopicPartition(name, 0);
  }

  /** The next records are of this time, relative to the test's beginning. */
  KeptTopic at(long offsetMs) {
    timestamp = startMs + offsetMs;
    return this;
  }

  /** The next record begins a segment. */
  KeptTopic nextSegment() {
    timestamp += 2 * MaintenanceClients.SEGMENT_MS;
    return this;
  }

  private ProducerRecord<String, String> record(@Nullable String key, @Nullable String value) {
    return new ProducerRecord<>(partition.topic(), 0, timestamp, key, value);
  }

  /** Returns when it is written. */
  KeptTopic send(@Nullable String key, @Nullable String value) {
    try {
      clients.producer().send(record(key, value)).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    return this;
  }

  /** Keys and values in turn. */
  KeptTopic transaction(boolean commit, String... keysAndValues) {
    try (Open open = begin(keysAndValues)) {
      if (commit) {
        open.commit();
      }
    }
    return this;
  }

  Open begin(String... keysAndValues) {
    KafkaProducer<String, String> producer = clients.transactional();
    producer.initTransactions();
    producer.beginTransaction();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      var unused = producer.send(record(keysAndValues[i], keysAndValues[i + 1]));
    }
    producer.flush();
    return new Open(producer);
  }

  /** A transaction that is aborted unless it is committed. */
  static final class Open implements AutoCloseable {
    private final KafkaProducer<String, String> producer;
    private boolean ended;

    private Open(KafkaProducer<String, String> producer) {
      this.producer = producer;
    }

    void commit() {
      producer.commitTransaction();
      ended = true;
    }

    @Override
    public void close() {
      if (!ended) {
        producer.abortTransaction();
      }
      producer.close();
    }
  }

  /** All that is in the log, whatever became of its transaction. */
  List<String> records() {
    return read("read_uncommitted", beginning());
  }

  List<String> committed() {
    return read("read_committed", beginning());
  }

  List<String> readFrom(long offset) {
    return read("read_uncommitted", offset);
  }

  private List<String> read(String isolation, long offset) {
    List<String> texts = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = clients.consumer(isolation)) {
      consumer.assign(List.of(partition));
      consumer.seek(partition, offset);
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(50))) {
          texts.add(record.offset() + " " + record.key() + "=" + record.value());
        }
      }
    }
    return texts;
  }

  /** Until the log holds these and no others. */
  void awaitRecords(String... expected) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(records()).containsExactly(expected));
  }

  /** Compaction looks again only when there is something new: so there is, in new segments. */
  void awaitWhileSending(String key, Predicate<Stream<String>> condition) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              nextSegment().send(key, "");
              return condition.test(records().stream());
            });
  }

  void awaitBeginning(long offset) {
    Awaitility.await().atMost(PATIENCE).until(() -> beginning() == offset);
  }

  long beginning() {
    try (KafkaConsumer<String, String> consumer = clients.consumer("read_uncommitted")) {
      return consumer.beginningOffsets(List.of(partition)).get(partition);
    }
  }

  long end() {
    try (KafkaConsumer<String, String> consumer = clients.consumer("read_uncommitted")) {
      return consumer.endOffsets(List.of(partition)).get(partition);
    }
  }

  void set(String key, String value) {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, partition.topic());
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
    try {
      clients.admin().incrementalAlterConfigs(Map.of(topic, List.of(change))).all().get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the first offset that is left. */
  long delete(RecordsToDelete what) throws ExecutionException, InterruptedException {
    return clients
        .admin()
        .deleteRecords(Map.of(partition, what))
        .lowWatermarks()
        .get(partition)
        .get()
        .lowWatermark();
  }
}
