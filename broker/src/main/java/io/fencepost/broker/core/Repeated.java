package io.fencepost.broker.core;

import io.fencepost.broker.port.Scheduler;
import org.jspecify.annotations.Nullable;

/** A task that is run again and again, also after it threw, until it is stopped. */
final class Repeated {
  private final Scheduler scheduler;
  private final long intervalMs;
  private final Runnable task;
  private Scheduler.@Nullable Timer timer;
  private volatile boolean stopped;

  /**
   * @param intervalMs from the end of one run to the next
   */
  Repeated(Scheduler scheduler, long intervalMs, Runnable task) {
    this.scheduler = scheduler;
    this.intervalMs = intervalMs;
    this.task = task;
  }

  synchronized void start(long delayMs) {
    if (!stopped) {
      timer = scheduler.after(delayMs, this::run);
    }
  }

  private void run() {
    if (stopped) {
      return;
    }
    try {
      task.run();
    } finally {
      start(intervalMs);
    }
  }

  /** A run that has begun goes on to its end. */
  synchronized void stop() {
    stopped = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
