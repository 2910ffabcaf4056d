package io.fencepost.txn.group;

import io.fencepost.broker.port.Scheduler;
import org.jspecify.annotations.Nullable;

/** A group in memory, with the timer for its next deadline. Under its shard's lock. */
final class LiveGroup {
  final ClassicGroup group;

  /** Fires at or before the group's next deadline. */
  Scheduler.@Nullable Timer timer;

  /** Monotonic; when the timer fires. */
  long timerAtMs;

  /** Records of this group that are on their way to the log. */
  int unsettledWrites;

  /** The last record could not be logged, so memory knows better than the row. */
  boolean isAheadOfRow;

  LiveGroup(ClassicGroup group) {
    this.group = group;
  }

  /** Whether the row tells all that there is to know. */
  boolean isForgettable() {
    return group.isIdle() && unsettledWrites == 0 && !isAheadOfRow;
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
