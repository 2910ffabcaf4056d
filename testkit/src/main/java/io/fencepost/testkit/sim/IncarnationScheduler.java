package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimEntropy;

/**
 * The scheduler of one life of a process: when it ends, nothing that it scheduled runs any more. On
 * a busy machine what is to run at once waits its turn, forces of files among it.
 */
final class IncarnationScheduler implements Scheduler {
  private final Scheduler scheduler;
  private final SimEntropy entropy;
  private final int lagMs;
  private boolean dead;

  /**
   * @param lagMs the longest that a task waits
   */
  IncarnationScheduler(Scheduler scheduler, SimEntropy entropy, int lagMs) {
    this.scheduler = scheduler;
    this.entropy = entropy.named("lag");
    this.lagMs = lagMs;
  }

  void die() {
    dead = true;
  }

  @Override
  public void run(Runnable task) {
    var unused = scheduler.after(entropy.nextInt(lagMs + 1), () -> runIfAlive(task));
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
