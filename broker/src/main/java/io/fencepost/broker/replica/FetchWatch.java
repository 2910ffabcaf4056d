package io.fencepost.broker.replica;

/**
 * A reader that waits for one partition to move on. Fires once, as an effect, when its isolation's
 * end passes {@code seenEnd}.
 */
public final class FetchWatch {
  private final Isolation isolation;
  private final long seenEnd;
  private final Runnable wake;

  public FetchWatch(Isolation isolation, long seenEnd, Runnable wake) {
    this.isolation = isolation;
    this.seenEnd = seenEnd;
    this.wake = wake;
  }

  Isolation isolation() {
    return isolation;
  }

  long seenEnd() {
    return seenEnd;
  }

  Runnable wake() {
    return wake;
  }
}
