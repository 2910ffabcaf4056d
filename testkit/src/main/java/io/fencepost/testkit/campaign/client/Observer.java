package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Pipeline;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

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
        Admin admin = clients.admin()) {
      boolean isLast;
      do {
        isLast = stopping;
        try {
          offsets(committed);
          watermarks(admin);
        } catch (KafkaException e) {
          tally.error(e);
        }
        Parking.millis(PAUSE_MS);
      } while (!isLast);
    }
  }

  /**
   * The two questions may be answered by two brokers, of which one is cut off and does not know yet
   * that it leads no more: only what the same term of a leader says goes together.
   */
  private void watermarks(Admin admin) {
    Map<TopicPartition, ListOffsetsResultInfo> stable = ends(admin, IsolationLevel.READ_COMMITTED);
    ends(admin, IsolationLevel.READ_UNCOMMITTED)
        .forEach(
            (partition, high) -> {
              ListOffsetsResultInfo low = stable.get(partition);
              if (low != null && low.leaderEpoch().equals(high.leaderEpoch())) {
                recorder.add(
                    new Event.Watermarks(
                        "observer", Names.of(partition), low.offset(), high.offset()));
              }
            });
  }

  private Map<TopicPartition, ListOffsetsResultInfo> ends(Admin admin, IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    partitions.forEach(partition -> asked.put(partition, OffsetSpec.latest()));
    try {
      return admin
          .listOffsets(asked, new ListOffsetsOptions(isolation))
          .all()
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("the ends of " + partitions + " cannot be asked for", e);
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
