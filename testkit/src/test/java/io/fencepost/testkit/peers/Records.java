package io.fencepost.testkit.peers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What is committed in a topic of two partitions, read on and on by somebody without a group. */
final class Records implements AutoCloseable {
  private final KafkaConsumer<String, String> consumer;
  private final List<ConsumerRecord<String, String>> records = new ArrayList<>();

  Records(String bootstrapServers, String topic) {
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer());
    List<TopicPartition> partitions =
        List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** All up to now. */
  List<ConsumerRecord<String, String>> all() {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    do {
      consumer.poll(Duration.ofMillis(50)).forEach(records::add);
    } while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue()));
    return records;
  }

  List<String> values() {
    return all().stream().map(ConsumerRecord::value).toList();
  }

  /** The last value of each key. */
  Map<String, String> latest() {
    TreeMap<String, String> latest = new TreeMap<>();
    all().forEach(record -> latest.put(record.key(), record.value()));
    return latest;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
