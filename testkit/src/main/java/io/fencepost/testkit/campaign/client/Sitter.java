package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Shrinking;
import java.util.SplittableRandom;

/**
 * Keeps transactions open for a while, so that the last stable offset stands and much that is above
 * it looks obsolete: it wrote a key twice itself, and others write it meanwhile. One thread; {@link
 * #stop} may come from any other.
 */
final class Sitter implements Runnable {
  private static final int TIMEOUT_MS = 15_000;

  /** Meanwhile the trimmed log grows to several times of what it may keep. */
  private static final int LEAST_MS = 3_000;

  private static final int MOST_MS = 5_000;
  private static final int PAUSE_MS = 1_200;
  private static final long SLICE_MS = 50;

  private final Author author;
  private final int partitions;
  private final SplittableRandom random;
  private long number;
  private volatile boolean stopping;

  Sitter(Clients clients, Recorder recorder, Tally tally, int partitions, long seed) {
    this.author = new Author(clients, recorder, tally, "sitter-1", TIMEOUT_MS);
    this.partitions = partitions;
    this.random = new SplittableRandom(seed);
  }

  /** It ends with the present transaction, and lets it stand no longer. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    try {
      while (!stopping) {
        var unused = author.write(random.nextBoolean(), this::sit);
        rest(random.nextInt(PAUSE_MS));
      }
    } finally {
      author.close();
    }
  }

  private void sit(Sends sends) {
    int key = random.nextInt(Quoter.KEYS);
    for (int i = 0; i < 2; i++) {
      sends.sendKeyed(
          Shrinking.COMPACTED, key % partitions, Quoter.quote(sends.nextName(), key, ++number));
      sends.send(Shrinking.TRIMMED, key % partitions, Quoter.quote(sends.nextName(), key, number));
      sends.flush();
    }
    rest(LEAST_MS + random.nextInt(MOST_MS - LEAST_MS));
  }

  private void rest(long ms) {
    for (long left = ms; left > 0 && !stopping; left -= SLICE_MS) {
      Parking.millis(SLICE_MS);
    }
  }
}
