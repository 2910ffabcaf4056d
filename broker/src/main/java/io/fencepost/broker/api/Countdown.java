package io.fencepost.broker.api;

/**
 * A gate: counts the parts of an answer that are still missing, which arrive from any thread. The
 * thread that brings the last part sees what all others wrote before.
 */
final class Countdown {
  private int missing;

  Countdown(int missing) {
    this.missing = missing;
  }

  /** True for the caller who brings the last part. */
  synchronized boolean arrive() {
    missing--;
    return missing == 0;
  }
}
