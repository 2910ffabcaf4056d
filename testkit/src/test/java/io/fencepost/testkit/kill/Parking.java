package io.fencepost.testkit.kill;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Real time passes: a killed process cannot be driven by a virtual clock. */
final class Parking {
  private Parking() {}

  static void millis(long ms) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
