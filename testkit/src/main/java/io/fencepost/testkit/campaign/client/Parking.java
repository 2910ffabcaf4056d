package io.fencepost.testkit.campaign.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Real time passes: live servers and clients cannot be driven by a virtual clock. */
public final class Parking {
  private Parking() {}

  public static void millis(long ms) {
    until(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms));
  }

  /** Until that much is on {@link System#nanoTime}. */
  public static void until(long nanoTime) {
    for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
