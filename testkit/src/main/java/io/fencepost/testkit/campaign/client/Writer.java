package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Posting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Writes payments in transactions. Some it aborts on purpose; where it cannot know whether a
 * transaction was committed it sends the same payments again, under the same keys. One thread.
 */
final class Writer implements Runnable {
  private static final int TIMEOUT_MS = 10_000;
  private static final int ABORT_PER_MILLE = 150;
  private static final int REPEAT_PER_MILLE = 50;
  private static final int MAX_CENTS = 1_000_000;
  private static final int TRICKLE_RECORDS = 20;
  private static final long TRICKLE_MS = 100;

  private final Author author;
  private final Tally tally;
  private final String name;
  private final Work work;
  private final SplittableRandom random;
  private final long[] numbers;
  private volatile boolean stopping;

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
    this.author = new Author(clients, recorder, tally, name, TIMEOUT_MS);
    this.tally = tally;
    this.name = name;
    this.work = work;
    this.random = new SplittableRandom(seed);
    this.numbers = new long[work.partitions()];
  }

  /** It ends once its work is done. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    try {
      for (int i = 0; i < work.transactions(); i++) {
        Parking.until(start + Duration.ofMillis(i * work.pauseMs()).toNanos());
        List<Due> payments = draw(work.records());
        boolean isRepeated = random.nextInt(1000) < REPEAT_PER_MILLE;
        while (!write(payments)) {
          tally.retried();
        }
        tally.wrote(payments.size());
        if (isRepeated) {
          var unused = write(payments);
        }
      }
      while (!stopping) {
        Parking.millis(TRICKLE_MS);
        var unused = write(draw(TRICKLE_RECORDS));
      }
    } finally {
      author.close();
    }
  }

  private List<Due> draw(int records) {
    List<Due> payments = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      int partition = random.nextInt(work.partitions());
      Posting.Key key = new Posting.Key(name + "p" + partition, ++numbers[partition]);
      payments.add(new Due(partition, key, BigDecimal.valueOf(random.nextInt(MAX_CENTS), 2)));
    }
    return payments;
  }

  /** True if the transaction is known to be committed. */
  private boolean write(List<Due> payments) {
    boolean commit = random.nextInt(1000) >= ABORT_PER_MILLE;
    boolean isDone =
        author.write(
            commit,
            sends -> {
              for (Due due : payments) {
                Posting posting = new Posting(sends.nextName(), due.key, due.amount, "");
                sends.send(Pipeline.INPUT, due.partition, posting);
              }
            });
    return commit && isDone;
  }
}
