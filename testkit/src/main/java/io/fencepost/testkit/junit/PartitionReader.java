package io.fencepost.testkit.junit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** Reads partitions to the end that its isolation level has, by position. Not thread-safe. */
final class PartitionReader implements AutoCloseable {
  private static final Duration GLANCE = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final KafkaConsumer<byte[], byte[]> consumer;

  PartitionReader(String bootstrap, boolean committed) {
    this.consumer = ClusterClients.reader(bootstrap, committed);
  }

  /** In order; none if there is no such topic. */
  List<TopicPartition> partitions(String topic) {
    List<TopicPartition> partitions = new ArrayList<>();
    // A client of 2.8 says null for an unknown topic.
    List<PartitionInfo> found = consumer.partitionsFor(topic);
    for (int i = 0; found != null && i < found.size(); i++) {
      partitions.add(new TopicPartition(topic, i));
    }
    return partitions;
  }

  /** The high watermark, or the last stable offset of who reads committed. */
  long end(TopicPartition partition) {
    return ends(List.of(partition)).getOrDefault(partition, 0L);
  }

  Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
    return consumer.endOffsets(partitions);
  }

  long start(TopicPartition partition) {
    return consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  /**
   * All records below the offset, from the other one on; the end of its level must have reached it.
   */
  List<ConsumerRecord<byte[], byte[]>> read(TopicPartition partition, long from, long to) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    consumer.assign(List.of(partition));
    consumer.seek(partition, from);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (consumer.position(partition) < to) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(GLANCE)) {
        if (record.offset() < to) {
          records.add(record);
        }
      }
      if (System.nanoTime() - deadline > 0) {
        throw new TimeoutException(
            "%s could not be read up to offset %d in %d s, only to %d"
                .formatted(partition, to, PATIENCE.toSeconds(), consumer.position(partition)));
      }
    }
    return records;
  }

  /** Goes on where it was, from the first offset at first, and adds what comes within a glance. */
  void poll(
      Collection<TopicPartition> partitions,
      TreeMap<Integer, List<ConsumerRecord<byte[], byte[]>>> seen) {
    if (!consumer.assignment().containsAll(partitions)) {
      TreeMap<Integer, Long> positions = new TreeMap<>();
      consumer.assignment().forEach(it -> positions.put(it.partition(), consumer.position(it)));
      consumer.assign(partitions);
      for (TopicPartition partition : partitions) {
        Long position = positions.get(partition.partition());
        if (position == null) {
          consumer.seekToBeginning(List.of(partition));
        } else {
          consumer.seek(partition, position);
        }
      }
    }
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(GLANCE)) {
      seen.computeIfAbsent(record.partition(), it -> new ArrayList<>()).add(record);
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
