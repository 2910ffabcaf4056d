package io.fencepost.testkit.prove.main;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads the committed output while it is written. */
final class LiveReader implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread;
  private final List<Topics.Line> lines = new ArrayList<>();
  private final TreeMap<String, Long> positions = new TreeMap<>();
  private final RunHistory history;
  private volatile boolean isOver;

  LiveReader(String bootstrap, Subject subject, RunHistory history) {
    this.history = history;
    consumer = Topics.reader(bootstrap, subject.outputs(), subject.partitions());
    thread = new Thread(this::run, "live-reader");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (consumer) {
      while (!isOver) {
        for (ConsumerRecord<byte[], byte[]> record : poll()) {
          Topics.Line line = Topics.Line.of(record);
          lines.add(line);
          history.live(line);
        }
      }
      for (TopicPartition partition : consumer.assignment()) {
        positions.put(partition.toString(), consumer.position(partition, Duration.ofSeconds(1)));
      }
    } catch (KafkaException e) {
      positions.clear();
    }
  }

  /** While the brokers are being broken it gets nothing, and goes on where it was. */
  private Iterable<ConsumerRecord<byte[], byte[]>> poll() {
    try {
      return consumer.poll(Duration.ofMillis(20));
    } catch (KafkaException e) {
      return List.of();
    }
  }

  /** What it was handed, in order. */
  List<Topics.Line> lines() {
    close();
    return lines;
  }

  /** Below these it has been handed everything. */
  TreeMap<String, Long> positions() {
    close();
    return positions;
  }

  @Override
  public void close() {
    isOver = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
