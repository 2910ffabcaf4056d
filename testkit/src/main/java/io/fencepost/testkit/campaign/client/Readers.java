package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Consumers of both isolation levels that read every partition from its start, and write down. */
public final class Readers {
  private static final Duration SLICE = Duration.ofMillis(100);

  private final String bootstrap;
  private final List<TopicPartition> partitions = new ArrayList<>();
  private final Recorder recorder;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /** Readers of all partitions of these topics, which have equally many. */
  public Readers(String bootstrap, List<String> topics, int partitionCount, Recorder recorder) {
    this.bootstrap = bootstrap;
    this.recorder = recorder;
    for (String topic : topics) {
      for (int i = 0; i < partitionCount; i++) {
        partitions.add(new TopicPartition(topic, i));
      }
    }
  }

  /** Begins to read; each goes on until told to stop and then to the end. */
  public void start(String suffix) {
    for (Isolation isolation : Isolation.values()) {
      String name = isolation + suffix;
      Thread thread = recorder.thread(name, () -> read(name, isolation));
      thread.start();
      threads.add(thread);
    }
  }

  /** Returns when all have read to the end. */
  public void finish() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void read(String name, Isolation isolation) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", bootstrap);
    config.put("auto.offset.reset", "none");
    config.put("isolation.level", isolation.name().toLowerCase(Locale.ROOT));
    config.put("reconnect.backoff.max.ms", 100);
    config.put("fetch.max.wait.ms", 100);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(partitions);
      partitions.forEach(partition -> consumer.seek(partition, 0));
      Map<TopicPartition, Long> ends = Map.of();
      while (ends.isEmpty() || !hasReached(consumer, ends)) {
        for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
          recorder.add(
              new Event.Read(
                  name,
                  isolation,
                  named(record.topic(), record.partition()),
                  record.offset(),
                  record.value()));
        }
        for (TopicPartition partition : partitions) {
          recorder.add(
              new Event.Passed(
                  name,
                  isolation,
                  named(partition.topic(), partition.partition()),
                  consumer.position(partition)));
        }
        if (stopping && ends.isEmpty()) {
          ends = new HashMap<>(consumer.endOffsets(partitions));
        }
      }
    }
  }

  private static boolean hasReached(
      KafkaConsumer<String, String> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  private static io.fencepost.broker.wire.TopicPartition named(String topic, int partition) {
    return new io.fencepost.broker.wire.TopicPartition(topic, partition);
  }
}
