package io.fencepost.testkit.campaign.client;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Posting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** The records of one transaction, and what became of each. Single-threaded. */
final class Sends {
  /** A record that was handed over; the future is null if the client refused it at once. */
  private static final class Pending {
    private final TopicPartition to;
    private final String value;
    private @Nullable Future<RecordMetadata> answer;

    Pending(TopicPartition to, String value) {
      this.to = to;
      this.value = value;
    }
  }

  private final String transaction;
  private final KafkaProducer<String, String> producer;
  private final List<Pending> all = new ArrayList<>();

  Sends(String transaction, KafkaProducer<String, String> producer) {
    this.transaction = transaction;
    this.producer = producer;
  }

  /** A name for the next record. */
  String nextName() {
    return transaction + ":" + (all.size() + 1);
  }

  String transaction() {
    return transaction;
  }

  void send(String topic, int partition, Posting posting) {
    send(topic, partition, null, posting);
  }

  /** A record with a key, so that compaction can tell which is the newest. */
  void sendKeyed(String topic, int partition, Posting posting) {
    send(topic, partition, posting.key().writer(), posting);
  }

  private void send(String topic, int partition, @Nullable String key, Posting posting) {
    Pending pending = new Pending(Names.of(topic, partition), posting.text());
    all.add(pending);
    pending.answer = producer.send(new ProducerRecord<>(topic, partition, key, pending.value));
  }

  /** Waits until all is answered. */
  void flush() {
    producer.flush();
  }

  int count() {
    return all.size();
  }

  /** Whether the last record was acknowledged; waits for the answer. */
  boolean isLastAcknowledged() {
    return offset(all.get(all.size() - 1)) >= 0;
  }

  /** Writes down what became of each; waits for answers that are still due. */
  void record(Recorder recorder) {
    for (Pending pending : all) {
      long offset = offset(pending);
      Outcome outcome = offset < 0 ? Outcome.UNKNOWN : Outcome.OK;
      recorder.add(
          new Event.Sent(transaction, pending.to, pending.value, outcome, Math.max(offset, -1)));
    }
  }

  private static long offset(Pending pending) {
    Future<RecordMetadata> answer = pending.answer;
    if (answer == null) {
      return -1;
    }
    try {
      return answer.get().offset();
    } catch (ExecutionException refused) {
      return -1;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
