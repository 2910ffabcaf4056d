package io.fencepost.testkit.fault;

/**
 * Is told what happens at the points of a run, on the thread that passes there and one at a time.
 * It must not throw, and not ask the {@link Faults} that tell it.
 */
public interface FaultObserver {
  /** Somebody passed a point, faults or not; {@code occurrence} counts the point alone, from 1. */
  default void onPassed(FaultPoint point, long occurrence, FaultFacts facts) {}

  /** A fault is about to be done. */
  default void onFired(Fired fired) {}
}
