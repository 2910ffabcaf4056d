package io.fencepost.txn.group;

import io.fencepost.broker.port.Clock;

/**
 * Both kinds of time at which a command arrives: the wall for what is written, the monotonic one
 * for deadlines.
 */
public record Moment(long wallMs, long monotonicMs) {
  /** The moment that the clock shows. */
  public static Moment of(Clock clock) {
    return new Moment(clock.wallMillis(), clock.monotonicNanos() / 1_000_000);
  }
}
