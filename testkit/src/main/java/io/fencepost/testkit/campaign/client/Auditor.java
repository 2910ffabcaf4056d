package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Watches logs that lose records: asks where they begin and what is stable, and reads what stands
 * above that. One thread; {@link #stop} may come from any other.
 */
final class Auditor implements Runnable {
  private static final long PAUSE_MS = 150;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final List<TopicPartition> partitions;
  private int readerCount;
  private volatile boolean stopping;

  Auditor(Clients clients, Recorder recorder, Tally tally, List<TopicPartition> partitions) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    this.partitions = partitions;
  }

  /** It looks once more and ends. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    try (KafkaConsumer<String, String> committed = clients.reader(Isolation.READ_COMMITTED);
        KafkaConsumer<String, String> uncommitted = clients.reader(Isolation.READ_UNCOMMITTED)) {
      boolean isLast;
      do {
        isLast = stopping;
        for (TopicPartition partition : partitions) {
          try {
            look(partition, committed, uncommitted);
          } catch (KafkaException e) {
            tally.error(e);
          }
        }
        Parking.millis(PAUSE_MS);
      } while (!isLast);
    }
  }

  private void look(
      TopicPartition partition,
      KafkaConsumer<String, String> committed,
      KafkaConsumer<String, String> uncommitted) {
    long start =
        Names.answer(uncommitted.beginningOffsets(List.of(partition), PATIENCE), partition);
    long stable = end(partition, committed);
    long high = end(partition, uncommitted);
    recorder.add(new Event.Bounds(Names.of(partition), start, stable, high));
    if (stable >= high) {
      return;
    }
    String reader = "auditor-" + ++readerCount;
    Stretch stretch = new Stretch(reader, Isolation.READ_UNCOMMITTED, partition, stable, high);
    if (stretch.read(uncommitted, recorder, PATIENCE) && end(partition, committed) == stable) {
      recorder.add(new Event.Stood(reader, Names.of(partition), stable, high));
    }
  }

  private static long end(TopicPartition partition, KafkaConsumer<String, String> consumer) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(List.of(partition), PATIENCE);
    return Names.answer(ends, partition);
  }
}
