package io.fencepost.txn.group;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.txn.group.consumer.ConsumerSessions;
import org.jspecify.annotations.Nullable;

/** The soft side of a group of the newer protocol: sessions and their timer. Under its lock. */
final class LiveConsumers {
  final ConsumerSessions sessions;

  /** Fires at or before the next deadline. */
  Scheduler.@Nullable Timer timer;

  /** Monotonic; when the timer fires. */
  long timerAtMs;

  LiveConsumers(ConsumerSessions sessions) {
    this.sessions = sessions;
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
