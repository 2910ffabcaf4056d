package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import java.time.Duration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A transactional producer through all its sessions: where nobody knows how a transaction ended, a
 * new session follows. Writes down what it did. One thread.
 */
final class Author implements AutoCloseable {
  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final String id;
  private final int timeoutMs;
  private @Nullable KafkaProducer<String, String> producer;
  private String session = "";
  private int incarnation;
  private int count;

  /** What is done within a transaction; may throw {@link KafkaException}. */
  interface Work {
    void within(Sends sends);
  }

  /**
   * @param id the transactional id
   * @param timeoutMs of its transactions
   */
  Author(Clients clients, Recorder recorder, Tally tally, String id, int timeoutMs) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    this.id = id;
    this.timeoutMs = timeoutMs;
  }

  /** One transaction; true if it is known to have ended as it was asked to. */
  boolean write(boolean commit, Work work) {
    KafkaProducer<String, String> own;
    try {
      own = open();
    } catch (KafkaException e) {
      tally.error(e);
      close();
      return false;
    }
    Sends sends = new Sends(session + "/" + ++count, own);
    boolean isAsked = false;
    Outcome outcome = Outcome.UNKNOWN;
    try {
      own.beginTransaction();
      work.within(sends);
      if (!commit) {
        own.flush();
      }
      recorder.add(new Event.EndAsked(sends.transaction(), commit));
      isAsked = true;
      if (commit) {
        own.commitTransaction();
      } else {
        own.abortTransaction();
      }
      outcome = Outcome.OK;
    } catch (KafkaException e) {
      tally.error(e);
      outcome = giveUp(own);
    }
    sends.record(recorder);
    recorder.add(new Event.Ended(sends.transaction(), commit && isAsked, outcome));
    tally.ended(commit && isAsked, outcome);
    return outcome == Outcome.OK;
  }

  /** Aborted for sure if the coordinator says so; else nobody knows, and a new session follows. */
  private Outcome giveUp(KafkaProducer<String, String> own) {
    try {
      own.abortTransaction();
      return Outcome.FAILED;
    } catch (KafkaException | IllegalStateException e) {
      tally.error(e);
      close();
      return Outcome.UNKNOWN;
    }
  }

  private KafkaProducer<String, String> open() {
    KafkaProducer<String, String> own = producer;
    if (own == null) {
      session = id + "." + ++incarnation;
      count = 0;
      own = clients.producer(id, timeoutMs);
      producer = own;
      own.initTransactions();
      recorder.add(new Event.Opened(id, session));
    }
    return own;
  }

  /** Ends the session without a word. */
  @Override
  public void close() {
    KafkaProducer<String, String> own = producer;
    producer = null;
    if (own != null) {
      own.close(Duration.ZERO);
    }
  }
}
