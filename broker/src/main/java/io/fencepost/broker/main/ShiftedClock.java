package io.fencepost.broker.main;

import io.fencepost.broker.port.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The machine's clocks, of which somebody may set the wall clock. Thread-safe. */
public final class ShiftedClock implements Clock {
  private final Clock clock = new SystemClock();
  private final AtomicLong shiftMs = new AtomicLong();

  /** Sets the wall clock forward, or back if that is below zero; adds up. */
  public void jump(Duration by) {
    shiftMs.addAndGet(by.toMillis());
  }

  @Override
  public long wallMillis() {
    return clock.wallMillis() + shiftMs.get();
  }

  @Override
  public long monotonicNanos() {
    return clock.monotonicNanos();
  }
}
