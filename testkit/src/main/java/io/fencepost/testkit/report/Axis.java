package io.fencepost.testkit.report;

import io.fencepost.testkit.history.History;

/**
 * Where events stand on the timeline: at their time since the first, never before an earlier event;
 * or, in a history without times or with the same one all along, at their place.
 */
final class Axis {
  private final boolean isTimed;
  private final long startMs;
  private final long[] positions;

  private Axis(boolean isTimed, long startMs, long[] positions) {
    this.isTimed = isTimed;
    this.startMs = startMs;
    this.positions = positions;
  }

  static Axis of(Run run) {
    History history = run.history();
    int count = history.events().size();
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      if (history.atMs(i) >= 0) {
        start = Math.min(start, history.atMs(i));
        end = Math.max(end, history.atMs(i));
      }
    }
    boolean isTimed = start < end || count == 0;
    if (isTimed) {
      for (Mark mark : run.marks()) {
        start = Math.min(start, mark.atMs());
      }
    }
    long[] positions = new long[count];
    long last = 0;
    for (int i = 0; i < count; i++) {
      last = isTimed ? Math.max(last, history.atMs(i) - start) : i;
      positions[i] = last;
    }
    return new Axis(isTimed, start < Long.MAX_VALUE ? start : 0, positions);
  }

  /** Whether positions are milliseconds; else they are places in the order of events. */
  boolean isTimed() {
    return isTimed;
  }

  /** The time at position 0, in milliseconds since the epoch. */
  long startMs() {
    return startMs;
  }

  /** Where the event at this place of the history stands. */
  long at(int place) {
    return positions[place];
  }

  /** Where a mark stands; at the beginning if the history has no times. */
  long at(Mark mark) {
    return isTimed ? mark.atMs() - startMs : 0;
  }
}
