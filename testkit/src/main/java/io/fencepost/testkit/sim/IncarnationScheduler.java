package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Scheduler;

/**
 * The scheduler of one life of a process: when it ends, nothing that it scheduled runs any more.
 */
final class IncarnationScheduler implements Scheduler {
  private final Scheduler scheduler;
  private boolean dead;

  IncarnationScheduler(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  void die() {
    dead = true;
  }

  @Override
  public void run(Runnable task) {
    scheduler.run(() -> runIfAlive(task));
  }

  @Override
  public Timer after(long delayMs, Runnable task) {
    return scheduler.after(delayMs, () -> runIfAlive(task));
  }

  private void runIfAlive(Runnable task) {
    if (!dead) {
      task.run();
    }
  }
}
