package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Posting;
import io.fencepost.testkit.history.Shrinking;
import java.math.BigDecimal;
import java.util.SplittableRandom;

/**
 * Writes the same few keys over and over in short transactions, and aborts some: what it leaves is
 * there to be compacted and trimmed. One key of each transaction is written again only much later,
 * so that something of the transaction stays, and its marker has to. One thread; {@link #stop} may
 * come from any other.
 */
final class Quoter implements Runnable {
  /** Each has one partition, the number modulo their count. */
  static final int KEYS = 8;

  /** Behind the others, each in its turn. */
  private static final int SLOW_KEYS = 200;

  private static final int TIMEOUT_MS = 10_000;
  private static final int ABORT_PER_MILLE = 250;
  private static final int RECORDS = 10;
  private static final int TICKS = 3;
  private static final long PAUSE_MS = 50;

  private final Author author;
  private final int partitions;
  private final SplittableRandom random;
  private long number;
  private int slowKey;
  private volatile boolean stopping;

  Quoter(Clients clients, Recorder recorder, Tally tally, int partitions, long seed) {
    this.author = new Author(clients, recorder, tally, "quoter-1", TIMEOUT_MS);
    this.partitions = partitions;
    this.random = new SplittableRandom(seed);
  }

  /** It ends with the present transaction. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    try {
      while (!stopping) {
        boolean commit = random.nextInt(1000) >= ABORT_PER_MILLE;
        var unused = author.write(commit, this::quote);
        Parking.millis(PAUSE_MS);
      }
    } finally {
      author.close();
    }
  }

  private void quote(Sends sends) {
    for (int i = 0; i < RECORDS; i++) {
      int key = random.nextInt(KEYS);
      sends.sendKeyed(
          Shrinking.COMPACTED, key % partitions, quote(sends.nextName(), key, ++number));
      for (int tick = 0; tick < TICKS; tick++) {
        sends.send(Shrinking.TRIMMED, key % partitions, quote(sends.nextName(), key, number));
      }
    }
    int key = KEYS + slowKey++ % SLOW_KEYS;
    sends.sendKeyed(Shrinking.COMPACTED, key % partitions, quote(sends.nextName(), key, ++number));
  }

  /** A record of this key. */
  static Posting quote(String name, int key, long number) {
    return new Posting(name, new Posting.Key("rate-" + key, number), BigDecimal.ONE, "");
  }
}
