package io.fencepost.broker.port;

/** Both kinds of time. Thread-safe. */
public interface Clock {
  /** Milliseconds since the epoch; may jump in either direction. For timestamps in records. */
  long wallMillis();

  /** Nanoseconds from an arbitrary origin; never goes back. For durations and deadlines. */
  long monotonicNanos();
}
