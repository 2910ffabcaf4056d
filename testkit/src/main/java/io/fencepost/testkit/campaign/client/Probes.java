package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Reads short stretches of committed records from offsets in the middle of everything. */
final class Probes {
  private static final int COUNT = 30;
  private static final int STRETCH = 1_500;
  private static final Duration SLICE = Duration.ofMillis(100);

  private final Clients clients;
  private final Recorder recorder;
  private final SplittableRandom random;

  Probes(Clients clients, Recorder recorder, long seed) {
    this.clients = clients;
    this.recorder = recorder;
    this.random = new SplittableRandom(seed);
  }

  /** Nobody may be writing any more. */
  void run(List<TopicPartition> partitions) {
    try (KafkaConsumer<String, String> consumer = clients.prober()) {
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      for (int i = 0; i < COUNT; i++) {
        TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
        long end = Names.answer(ends, partition);
        if (end > 0) {
          probe(consumer, Event.Probed.PREFIX + i, partition, random.nextLong(end), end);
        }
      }
    }
  }

  private void probe(
      KafkaConsumer<String, String> consumer,
      String name,
      TopicPartition partition,
      long from,
      long end) {
    long to = Math.min(end, from + STRETCH);
    consumer.assign(List.of(partition));
    consumer.seek(partition, from);
    while (consumer.position(partition) < to) {
      for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
        recorder.add(
            new Event.Read(
                name,
                Isolation.READ_COMMITTED,
                Names.of(partition),
                record.offset(),
                record.value()));
      }
    }
    recorder.add(new Event.Probed(name, Names.of(partition), from, consumer.position(partition)));
  }
}
