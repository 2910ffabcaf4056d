package io.fencepost.testkit.campaign.client;

/** Whether all replicas are in sync, as far as nothing was done to them. Thread-safe. */
public final class Calm {
  private long settledCount;
  private boolean isCalm;

  /** A broker is about to be hurt. */
  public synchronized void disturb() {
    isCalm = false;
  }

  /** All replicas are in sync. */
  public synchronized void settle() {
    settledCount++;
    isCalm = true;
  }

  /** Which calm this is: two equal ones are the same without a break. 0 if there is none. */
  synchronized long number() {
    return isCalm ? settledCount : 0;
  }
}
