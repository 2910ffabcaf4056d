package io.fencepost.samples.client;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;

/** Reads a topic from its start, committed records only. */
public final class CommittedReader {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private CommittedReader() {}

  /**
   * Gives every committed record to {@code into}, in order within a partition. Waits for
   * transactions that have ended and whose markers are still on their way: an answered EndTxn says
   * that the outcome is decided, not that readers see it.
   */
  public static <V> void readAll(
      String bootstrap,
      String topic,
      Deserializer<V> values,
      Consumer<ConsumerRecord<String, V>> into) {
    Map<TopicPartition, Long> ends;
    try (Cluster cluster = Cluster.connect(bootstrap)) {
      ends = cluster.endOffsets(topic);
    }
    try (KafkaConsumer<String, V> consumer = Clients.reader(bootstrap, values)) {
      consumer.assign(ends.keySet());
      read(consumer, ends, into);
    }
  }

  /** As {@link #readAll}, in bytes. */
  static void readRaw(
      String bootstrap, String topic, Consumer<ConsumerRecord<byte[], byte[]>> into) {
    Map<TopicPartition, Long> ends;
    try (Cluster cluster = Cluster.connect(bootstrap)) {
      ends = cluster.endOffsets(topic);
    }
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Clients.consumerSettings(bootstrap),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(ends.keySet());
      read(consumer, ends, into);
    }
  }

  /** Reads what the consumer has assigned, from the start to where its isolation lets it. */
  public static <V> void toEnd(
      KafkaConsumer<String, V> consumer, Consumer<ConsumerRecord<String, V>> into) {
    read(consumer, consumer.endOffsets(consumer.assignment()), into);
  }

  private static <K, V> void read(
      KafkaConsumer<K, V> consumer,
      Map<TopicPartition, Long> ends,
      Consumer<ConsumerRecord<K, V>> into) {
    consumer.seekToBeginning(ends.keySet());
    long progressAt = System.nanoTime();
    while (!isAt(consumer, ends)) {
      boolean moved = false;
      for (ConsumerRecord<K, V> record : consumer.poll(Clients.POLL)) {
        into.accept(record);
        moved = true;
      }
      long now = System.nanoTime();
      if (moved) {
        progressAt = now;
      } else if (now - progressAt > PATIENCE.toNanos()) {
        throw new KafkaException("reading stands still before " + ends);
      }
    }
  }

  /** By position, not by records: a transaction marker takes an offset and is never handed out. */
  private static boolean isAt(KafkaConsumer<?, ?> consumer, Map<TopicPartition, Long> ends) {
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      if (consumer.position(end.getKey()) < end.getValue()) {
        return false;
      }
    }
    return true;
  }
}
