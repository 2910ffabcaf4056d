package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Invariant;

/** A clock that moves when told. Not thread-safe: a simulation has one thread. */
public final class SimClock implements Clock {
  /** Some day in 2026, so that timestamps in a trace look like timestamps. */
  public static final long DEFAULT_START_MS = 1_790_000_000_000L;

  private long wallOffsetMs;
  private long nanos;

  public SimClock() {
    this(DEFAULT_START_MS);
  }

  public SimClock(long startMs) {
    this.wallOffsetMs = startMs;
  }

  @Override
  public long wallMillis() {
    return wallOffsetMs + nanos / 1_000_000;
  }

  @Override
  public long monotonicNanos() {
    return nanos;
  }

  /** Both kinds of time pass. */
  public void advanceMs(long deltaMs) {
    advanceNanos(Math.multiplyExact(deltaMs, 1_000_000L));
  }

  void advanceNanos(long deltaNanos) {
    Invariant.check(deltaNanos >= 0, "time cannot go back by %d ns (now %d)", deltaNanos, nanos);
    nanos += deltaNanos;
  }

  /** Somebody sets the wall clock, forward or back; durations do not notice. */
  public void stepWallMs(long deltaMs) {
    wallOffsetMs += deltaMs;
  }
}
