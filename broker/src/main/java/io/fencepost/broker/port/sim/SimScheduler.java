package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.Scheduler;
import java.util.TreeMap;

/**
 * One queue of tasks by due time; ties are broken by the seed. Running a task moves the clock to
 * its due time. A task that throws ends the simulation: nothing is swallowed. Not thread-safe.
 */
public final class SimScheduler implements Scheduler {
  private final SimClock clock;
  private final SimEntropy entropy;
  private final TreeMap<Key, Runnable> queue = new TreeMap<>();
  private long scheduledCount;

  public SimScheduler(SimClock clock, SimEntropy entropy) {
    this.clock = clock;
    this.entropy = entropy.named("scheduler");
  }

  @Override
  public void run(Runnable task) {
    after(0, task);
  }

  @Override
  public Timer after(long delayMs, Runnable task) {
    long dueNanos = clock.monotonicNanos() + Math.multiplyExact(Math.max(0, delayMs), 1_000_000L);
    Key key = new Key(dueNanos, entropy.nextLong(), scheduledCount++);
    queue.put(key, task);
    return () -> queue.remove(key);
  }

  /** Runs the next due task; false if there is none. */
  public boolean step() {
    var next = queue.pollFirstEntry();
    if (next == null) {
      return false;
    }
    long now = clock.monotonicNanos();
    if (next.getKey().dueNanos > now) {
      clock.advanceNanos(next.getKey().dueNanos - now);
    }
    next.getValue().run();
    return true;
  }

  /** Steps until nothing is left; fails if that takes more steps, so a livelock cannot hang. */
  public void runUntilIdle(long maxSteps) {
    for (long steps = 0; step(); steps++) {
      Invariant.check(
          steps < maxSteps, "not idle after %d steps, %d tasks wait", maxSteps, queue.size());
    }
  }

  /** Runs everything that falls due within the time, then lets the rest of the time pass. */
  public void runFor(long durationMs) {
    long endNanos = clock.monotonicNanos() + Math.multiplyExact(durationMs, 1_000_000L);
    while (!queue.isEmpty() && queue.firstKey().dueNanos <= endNanos) {
      step();
    }
    if (endNanos > clock.monotonicNanos()) {
      clock.advanceNanos(endNanos - clock.monotonicNanos());
    }
  }

  /** Forgets all tasks, as a crash of the process does. */
  public void clear() {
    queue.clear();
  }

  private record Key(long dueNanos, long tieBreak, long number) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byTime = Long.compare(dueNanos, other.dueNanos);
      if (byTime != 0) {
        return byTime;
      }
      int bySeed = Long.compare(tieBreak, other.tieBreak);
      return bySeed != 0 ? bySeed : Long.compare(number, other.number);
    }
  }
}
