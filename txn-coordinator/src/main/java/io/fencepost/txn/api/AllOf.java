package io.fencepost.txn.api;

/** Runs a step once a number of parts are done, from whichever thread is last. Thread-safe. */
final class AllOf {
  private final Runnable step;
  private int left;

  /** One more than the parts is awaited: {@link #begun}, when all parts are under way. */
  AllOf(int parts, Runnable step) {
    this.left = parts + 1;
    this.step = step;
  }

  void begun() {
    oneDone();
  }

  void oneDone() {
    boolean isLast;
    synchronized (this) {
      left--;
      isLast = left == 0;
    }
    if (isLast) {
      step.run();
    }
  }
}
