package io.fencepost.broker.replica;

import java.util.ArrayList;
import java.util.List;

/**
 * What is to be done outside of the locks: collected under them, run once by the caller after it
 * has released its own.
 *
 * <p>Within one call to a partition the order is: commit listeners, append replies, fetch waits.
 */
public final class Effects {
  private final List<Runnable> pending = new ArrayList<>(2);
  private int nextIndex;

  /** Adds a step after those that are there already. */
  public void add(Runnable effect) {
    pending.add(effect);
  }

  /** Adds all steps of another collection. */
  public void addAll(Effects others) {
    pending.addAll(others.pending);
  }

  /** Runs what is left, in order; a step that throws does not keep the later ones from running. */
  public void run() {
    try {
      while (nextIndex < pending.size()) {
        pending.get(nextIndex++).run();
      }
    } finally {
      if (nextIndex < pending.size()) {
        run();
      }
    }
  }
}
