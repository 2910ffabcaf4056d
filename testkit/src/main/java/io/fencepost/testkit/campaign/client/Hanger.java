package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Posting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;

/** Leaves a transaction open until its coordinator has aborted it, and then asks for its commit. */
final class Hanger implements Runnable {
  private static final int TIMEOUT_MS = 1_500;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final String id;
  private final int partition;

  Hanger(Clients clients, Recorder recorder, Tally tally, String id, int partition) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    this.id = id;
    this.partition = partition;
  }

  @Override
  public void run() {
    KafkaProducer<String, String> producer = clients.producer(id, TIMEOUT_MS);
    String transaction = id + ".1/1";
    Sends sends = new Sends(transaction, producer);
    Outcome outcome = Outcome.UNKNOWN;
    try {
      producer.initTransactions();
      recorder.add(new Event.Opened(id, id + ".1"));
      producer.beginTransaction();
      Posting.Key key = new Posting.Key(id, 1);
      sends.send(Pipeline.INPUT, partition, new Posting(sends.nextName(), key, BigDecimal.TEN, ""));
      producer.flush();
      if (sends.isLastAcknowledged() && isAborted()) {
        tally.timedOut();
        outcome = commit(transaction, producer);
      }
    } catch (KafkaException | IllegalStateException e) {
      tally.error(e);
    } finally {
      producer.close(Duration.ZERO);
      sends.record(recorder);
      recorder.add(new Event.Ended(transaction, true, outcome));
    }
  }

  private Outcome commit(String transaction, KafkaProducer<String, String> producer) {
    recorder.add(new Event.EndAsked(transaction, true));
    Outcome outcome = Outcome.FAILED;
    String why = "";
    try {
      producer.commitTransaction();
      outcome = Outcome.OK;
    } catch (KafkaException e) {
      why = e.toString();
    }
    recorder.add(new Event.Overdue(transaction, outcome, why));
    return outcome;
  }

  private boolean isAborted() {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try (Admin admin = clients.admin()) {
      while (System.nanoTime() < end) {
        TransactionState state =
            admin.describeTransactions(List.of(id)).description(id).get().state();
        if (state == TransactionState.COMPLETE_ABORT) {
          return true;
        }
        Parking.millis(100);
      }
    } catch (ExecutionException e) {
      tally.error(new KafkaException(e.getCause()));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return false;
  }
}
