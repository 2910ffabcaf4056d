package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Pipeline;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Asks over and over for committed offsets and for the ends that readers may see. One thread. */
final class Observer implements Runnable {
  private static final long PAUSE_MS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final List<TopicPartition> partitions;
  private volatile boolean stopping;

  Observer(Clients clients, Recorder recorder, Tally tally, int partitionCount) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    this.partitions =
        IntStream.range(0, partitionCount)
            .mapToObj(i -> new TopicPartition(Pipeline.INPUT, i))
            .toList();
  }

  /** It looks once more and ends. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    try (KafkaConsumer<String, String> committed = clients.observer("read_committed");
        KafkaConsumer<String, String> uncommitted = clients.observer("read_uncommitted")) {
      boolean isLast;
      do {
        isLast = stopping;
        try {
          offsets(committed);
          Map<TopicPartition, Long> stable = new HashMap<>();
          stable.putAll(committed.endOffsets(partitions, PATIENCE));
          Map<TopicPartition, Long> high = uncommitted.endOffsets(partitions, PATIENCE);
          stable.forEach(
              (partition, offset) ->
                  recorder.add(
                      new Event.Watermarks(
                          "observer", Names.of(partition), offset, Names.answer(high, partition))));
        } catch (KafkaException e) {
          tally.error(e);
        }
        Parking.millis(PAUSE_MS);
      } while (!isLast);
    }
  }

  private void offsets(KafkaConsumer<String, String> consumer) {
    for (TopicPartition partition : partitions) {
      recorder.add(new Event.OffsetAsked(Pipeline.GROUP, Names.of(partition)));
    }
    Map<TopicPartition, OffsetAndMetadata> seen =
        consumer.committed(new HashSet<>(partitions), PATIENCE);
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata offset = seen.get(partition);
      recorder.add(
          new Event.OffsetSeen(
              Pipeline.GROUP, Names.of(partition), offset == null ? -1 : offset.offset()));
    }
  }
}
