package io.fencepost.txn.main;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other threads bring about, and says what is wrong if they do not. */
final class Patience {
  private static final long GLANCE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private Patience() {}

  /**
   * @throws IllegalStateException with the trouble, after so long
   */
  static void await(Duration most, BooleanSupplier condition, Supplier<String> trouble) {
    long deadline = System.nanoTime() + most.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(trouble.get() + " (waited " + most.toSeconds() + " s)");
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("Interrupted while waiting: " + trouble.get());
      }
      LockSupport.parkNanos(GLANCE_NANOS);
    }
  }
}
