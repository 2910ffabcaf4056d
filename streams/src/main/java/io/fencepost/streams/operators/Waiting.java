package io.fencepost.streams.operators;

import io.fencepost.streams.operators.Sided.Side;

/** Which message of a key waits for partners. Its timers bear its name. */
record Waiting(Side side, long timestampMs, long number) {
  /**
   * When nothing joined it, it is put out alone. Timers of equal time fire in the order of their
   * names, so this one before {@link #gone}.
   */
  String alone() {
    return "alone " + this;
  }

  String gone() {
    return "gone " + this;
  }

  static boolean isAlone(String timer) {
    return timer.startsWith("alone ");
  }

  static Waiting ofTimer(String timer) {
    String[] words = timer.split(" ", -1);
    return new Waiting(Side.valueOf(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
  }

  @Override
  public String toString() {
    return side + " " + timestampMs + " " + number;
  }
}
