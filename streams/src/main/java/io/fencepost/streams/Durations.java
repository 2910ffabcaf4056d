package io.fencepost.streams;

import java.time.Duration;

/** What a job may be given as a time in milliseconds. */
final class Durations {
  private Durations() {}

  static void checkPositive(String what, Duration duration) {
    checkMillis(what, duration);
    if (duration.isZero()) {
      throw new IllegalArgumentException(what + " must be at least a millisecond");
    }
  }

  static void checkMillis(String what, Duration duration) {
    boolean isWhole = duration.getNano() % 1_000_000 == 0;
    if (duration.isNegative() || !isWhole || duration.getSeconds() > Windows.MAX_MS / 1_000) {
      throw new IllegalArgumentException(
          what
              + " "
              + duration
              + " must be whole milliseconds, not negative, below "
              + Windows.MAX_MS);
    }
  }
}
