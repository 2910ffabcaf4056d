package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A part of a log that a reader goes through once, and writes down.
 *
 * @param reader a name that is used for this alone
 * @param isolation that of the consumer
 * @param toOffset exclusive; records behind it may be written down too
 */
record Stretch(
    String reader, Isolation isolation, TopicPartition partition, long fromOffset, long toOffset) {
  private static final Duration SLICE = Duration.ofMillis(100);

  /** False if it took too long. */
  boolean read(KafkaConsumer<String, String> consumer, Recorder recorder, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    consumer.assign(List.of(partition));
    consumer.seek(partition, fromOffset);
    while (consumer.position(partition) < toOffset) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
        recorder.add(
            new Event.Read(
                reader, isolation, Names.of(partition), record.offset(), record.value()));
      }
    }
    return true;
  }
}
