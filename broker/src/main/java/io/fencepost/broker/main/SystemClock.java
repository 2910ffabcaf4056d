package io.fencepost.broker.main;

import io.fencepost.broker.port.Clock;

/** The machine's clocks. */
public final class SystemClock implements Clock {
  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }
}
