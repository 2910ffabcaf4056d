package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Posting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Writes payments in transactions. Some it aborts on purpose; where it cannot know whether a
 * transaction was committed it sends the same payments again, under the same keys. One thread.
 */
final class Writer implements Runnable {
  private static final int TIMEOUT_MS = 10_000;
  private static final int ABORT_PER_MILLE = 150;
  private static final int REPEAT_PER_MILLE = 50;
  private static final int MAX_CENTS = 1_000_000;

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final String name;
  private final Work work;
  private final SplittableRandom random;
  private final long[] numbers;
  private @Nullable KafkaProducer<String, String> producer;
  private String session = "";
  private int incarnation;
  private int count;

  /**
   * What is to be written.
   *
   * @param transactions that are to be committed
   * @param records of each
   * @param pauseMs between two, so that the work lasts as long as the faults do
   */
  record Work(int transactions, int records, int partitions, long pauseMs) {}

  /** A payment and where it goes. */
  private record Due(int partition, Posting.Key key, BigDecimal amount) {}

  Writer(Clients clients, Recorder recorder, Tally tally, String name, Work work, long seed) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    this.name = name;
    this.work = work;
    this.random = new SplittableRandom(seed);
    this.numbers = new long[work.partitions()];
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    try {
      for (int i = 0; i < work.transactions(); i++) {
        Parking.until(start + Duration.ofMillis(i * work.pauseMs()).toNanos());
        List<Due> payments = draw();
        boolean isRepeated = random.nextInt(1000) < REPEAT_PER_MILLE;
        while (!write(payments)) {
          tally.retried();
        }
        tally.wrote(payments.size());
        if (isRepeated) {
          var unused = write(payments);
        }
      }
    } finally {
      drop();
    }
  }

  private List<Due> draw() {
    List<Due> payments = new ArrayList<>();
    for (int i = 0; i < work.records(); i++) {
      int partition = random.nextInt(work.partitions());
      Posting.Key key = new Posting.Key(name + "p" + partition, ++numbers[partition]);
      payments.add(new Due(partition, key, BigDecimal.valueOf(random.nextInt(MAX_CENTS), 2)));
    }
    return payments;
  }

  /** True if the transaction is known to be committed. */
  private boolean write(List<Due> payments) {
    boolean commit = random.nextInt(1000) >= ABORT_PER_MILLE;
    KafkaProducer<String, String> own;
    try {
      own = open();
    } catch (KafkaException e) {
      tally.error(e);
      drop();
      return false;
    }
    String transaction = session + "/" + ++count;
    Sends sends = new Sends(transaction, own);
    boolean isAsked = false;
    Outcome outcome = Outcome.UNKNOWN;
    try {
      own.beginTransaction();
      for (Due due : payments) {
        sends.send(
            Pipeline.INPUT, due.partition, new Posting(sends.nextName(), due.key, due.amount, ""));
      }
      if (!commit) {
        own.flush();
      }
      recorder.add(new Event.EndAsked(transaction, commit));
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
    recorder.add(new Event.Ended(transaction, commit && isAsked, outcome));
    tally.ended(commit && isAsked, outcome);
    return commit && outcome == Outcome.OK;
  }

  /** Aborted for sure if the coordinator says so; else nobody knows, and a new session follows. */
  private Outcome giveUp(KafkaProducer<String, String> own) {
    try {
      own.abortTransaction();
      return Outcome.FAILED;
    } catch (KafkaException | IllegalStateException e) {
      tally.error(e);
      drop();
      return Outcome.UNKNOWN;
    }
  }

  private KafkaProducer<String, String> open() {
    KafkaProducer<String, String> own = producer;
    if (own == null) {
      session = name + "." + ++incarnation;
      count = 0;
      own = clients.producer(name, TIMEOUT_MS);
      producer = own;
      own.initTransactions();
      recorder.add(new Event.Opened(name, session));
    }
    return own;
  }

  private void drop() {
    KafkaProducer<String, String> own = producer;
    producer = null;
    if (own != null) {
      own.close(Duration.ZERO);
    }
  }
}
