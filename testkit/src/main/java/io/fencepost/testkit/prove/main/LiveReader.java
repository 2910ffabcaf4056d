package io.fencepost.testkit.prove.main;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads the committed output while it is written. */
public final class LiveReader implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread;
  private final List<Topics.Line> lines = new ArrayList<>();
  private final TreeMap<String, Long> positions = new TreeMap<>();
  private final Consumer<Topics.Line> heard;
  private final Function<ConsumerRecord<byte[], byte[]>, Topics.Line> form;
  private volatile boolean isOver;

  /**
   * Begins to read.
   *
   * @param heard is told each record when it comes
   * @param form says how a record is compared and written down
   */
  public LiveReader(
      String bootstrap,
      List<TopicPartition> partitions,
      Consumer<Topics.Line> heard,
      Function<ConsumerRecord<byte[], byte[]>, Topics.Line> form) {
    this.heard = heard;
    this.form = form;
    consumer = Topics.reader(bootstrap, partitions);
    thread = new Thread(this::run, "live-reader");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (consumer) {
      while (!isOver) {
        for (ConsumerRecord<byte[], byte[]> record : poll()) {
          Topics.Line line = form.apply(record);
          lines.add(line);
          heard.accept(line);
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
  public List<Topics.Line> lines() {
    close();
    return lines;
  }

  /** Below these it has been handed everything. */
  public SortedMap<String, Long> positions() {
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
