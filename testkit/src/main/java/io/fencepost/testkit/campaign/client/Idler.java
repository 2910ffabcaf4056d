package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Posting;
import io.fencepost.txn.txn.ProducerIdentity;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * An idempotent producer that writes a record, waits until that was removed, sends the same batch
 * once more, and goes on with the next sequence. One thread; {@link #stop} may come from any other.
 */
final class Idler implements Runnable {
  private static final Duration PATIENCE = Duration.ofSeconds(8);
  private static final Duration SLICE = Duration.ofMillis(500);
  private static final long PAUSE_MS = 100;
  private static final int KEY = 0;

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final Calm calm;
  private final TopicPartition partition;
  private final String name;
  private int incarnation;
  private long number;
  private boolean isGone;
  private volatile boolean stopping;

  /**
   * @param partition the one of {@link Quoter}'s key 0
   */
  Idler(Clients clients, Recorder recorder, Tally tally, Calm calm, TopicPartition partition) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    this.calm = calm;
    this.partition = partition;
    this.name = "idler-" + partition.topic();
  }

  /** It waits no longer, writes and repeats once more, and ends. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    try (BareProducer producer = new BareProducer(clients, partition);
        KafkaConsumer<String, String> consumer = clients.reader(Isolation.READ_UNCOMMITTED)) {
      ProducerIdentity identity = null;
      int sequence = 0;
      boolean isLast;
      do {
        isLast = stopping;
        if (identity == null) {
          identity = producer.newIdentity();
          sequence = 0;
          incarnation++;
        }
        if (identity != null && !spell(producer, consumer, identity, sequence++)) {
          identity = null;
        }
      } while (!isLast);
    }
  }

  /** False if nobody knows what the next sequence is. */
  private boolean spell(
      BareProducer producer,
      KafkaConsumer<String, String> consumer,
      ProducerIdentity identity,
      int sequence) {
    String transaction = "%s.%d/%d".formatted(name, incarnation, sequence + 1);
    Posting posting = Quoter.quote(transaction + ":1", KEY, ++number);
    String key = posting.key().writer();
    long calmBefore = calm.number();
    // Outside of transactions a record is committed as soon as it is in the log.
    recorder.add(new Event.EndAsked(transaction, true));
    BareProducer.Answer first = producer.send(identity, sequence, key, posting.text());
    Outcome known = first.outcome() == Outcome.OK ? Outcome.OK : Outcome.UNKNOWN;
    recorder.add(
        new Event.Sent(transaction, Names.of(partition), posting.text(), known, first.offset()));
    recorder.add(new Event.Ended(transaction, true, known));
    recorder.add(sequenced(identity, sequence, false, false, first));
    if (known != Outcome.OK) {
      return false;
    }
    isGone = awaitRemoval(consumer, first.offset());
    BareProducer.Answer again = producer.send(identity, sequence, key, posting.text());
    boolean isCalm = calmBefore > 0 && calm.number() == calmBefore;
    recorder.add(sequenced(identity, sequence, true, isCalm, again));
    return again.outcome() == Outcome.OK;
  }

  private Event sequenced(
      ProducerIdentity identity,
      int sequence,
      boolean isRepeat,
      boolean isCalm,
      BareProducer.Answer answer) {
    return new Event.Sequenced(
        Names.of(partition),
        identity,
        sequence,
        isRepeat,
        isGone,
        isCalm,
        answer.outcome(),
        answer.offset(),
        answer.why());
  }

  /** False if the record still stands when patience is over, or this is asked to stop. */
  private boolean awaitRemoval(KafkaConsumer<String, String> consumer, long offset) {
    boolean isHurried = !stopping;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0 && !(isHurried && stopping)) {
      try {
        if (isRemoved(consumer, offset)) {
          return true;
        }
      } catch (KafkaException e) {
        tally.error(e);
      }
      Parking.millis(PAUSE_MS);
    }
    return false;
  }

  private boolean isRemoved(KafkaConsumer<String, String> consumer, long offset) {
    if (Names.answer(consumer.beginningOffsets(List.of(partition), SLICE), partition) > offset) {
      return true;
    }
    consumer.assign(List.of(partition));
    consumer.seek(partition, offset);
    for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
      return record.offset() > offset;
    }
    return false;
  }
}
