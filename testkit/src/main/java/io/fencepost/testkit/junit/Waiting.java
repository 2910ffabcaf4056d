package io.fencepost.testkit.junit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.RetriableException;
import org.opentest4j.AssertionFailedError;

/** Looks until it is so, or fails with what was seen last. */
final class Waiting {
  private static final Duration GLANCE = Duration.ofMillis(10);

  private Waiting() {}

  /** What a cluster in trouble answers for now is seen as not so. */
  static void until(
      Duration patience, String what, BooleanSupplier isSo, Supplier<String> lastSeen) {
    long deadline = System.nanoTime() + patience.toNanos();
    RetriableException trouble = null;
    do {
      try {
        if (isSo.getAsBoolean()) {
          return;
        }
        trouble = null;
      } catch (RetriableException e) {
        trouble = e;
      }
      LockSupport.parkNanos(GLANCE.toNanos());
    } while (System.nanoTime() - deadline < 0 && !Thread.currentThread().isInterrupted());
    throw failed(patience, what, trouble == null ? lastSeen.get() : trouble.toString());
  }

  static AssertionFailedError failed(Duration patience, String what, String lastSeen) {
    return new AssertionFailedError(
        "not within "
            + text(patience)
            + ": "
            + what
            + "\nseen last: "
            + lastSeen.replace("\n", "\n           "));
  }

  private static String text(Duration time) {
    return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
