package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;

/** A client that commits one small transaction after the other and must not notice the others. */
final class Bystander {
  static final String TOPIC = "kept";

  private final String bootstrapServers;
  private final List<String> committed = new ArrayList<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean stopping;
  private long longestMs;

  Bystander(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  void start() {
    Thread thread =
        new Thread(
            () -> {
              try {
                run();
                ended.complete(null);
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            },
            "bystander");
    thread.setDaemon(true);
    thread.start();
    awaitProgress();
  }

  private void run() {
    Map<String, Object> config =
        Map.of("bootstrap.servers", bootstrapServers, "transactional.id", "bystander");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      for (int i = 0; !stopping; i++) {
        long start = System.nanoTime();
        producer.beginTransaction();
        var unused = producer.send(new ProducerRecord<>(TOPIC, 0, null, "value " + i));
        // kafka-clients 4.4 may end a transaction ahead of a record that was sent just before.
        producer.flush();
        producer.commitTransaction();
        acknowledged("value " + i, (System.nanoTime() - start) / 1_000_000);
      }
    }
  }

  private synchronized void acknowledged(String value, long elapsedMs) {
    committed.add(value);
    longestMs = Math.max(longestMs, elapsedMs);
  }

  private synchronized int count() {
    return committed.size();
  }

  /** How long the slowest transaction took, which is forgotten then. */
  synchronized long takeLongestMs() {
    long longest = longestMs;
    longestMs = 0;
    return longest;
  }

  /** Until some more are committed. */
  void awaitProgress() {
    int wanted = count() + 3;
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> ended.isDone() || count() >= wanted);
    if (ended.isDone()) {
      ended.join();
    }
  }

  /** Ends, and reads that all which was acknowledged is there, once and in order. */
  void finish() {
    stopping = true;
    ended.join();
    assertThat(read()).containsExactlyElementsOf(committed);
  }

  private List<String> read() {
    List<String> values = new ArrayList<>();
    Map<String, Object> config =
        Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(TOPIC, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }
}
