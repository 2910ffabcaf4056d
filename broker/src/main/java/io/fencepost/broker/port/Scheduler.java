package io.fencepost.broker.port;

/**
 * Runs tasks later, never inside the call that schedules them. Thread-safe. A task that throws is
 * reported by the shell and affects no other task.
 */
public interface Scheduler {
  /** Runs the task as soon as possible. */
  void run(Runnable task);

  /** Runs the task once after the delay; a delay of 0 or less means as soon as possible. */
  Timer after(long delayMs, Runnable task);

  /** A task that has not run yet. */
  interface Timer {
    /** Keeps the task from running, if it has not begun. */
    void cancel();
  }
}
