package io.fencepost.streams.main;

import org.jspecify.annotations.Nullable;

/**
 * Whether brokers have stopped answering. A member of a group hears something every few seconds,
 * work or no work: its fetches are answered, and its heartbeats. Looked at by one thread, a few
 * times a second.
 */
final class Silence {
  /** Twice the time between two heartbeats that a broker may ask for by default. */
  static final long LONG_MS = 10_000;

  /** Whoever was not there to look does not know how long it was silent. */
  private static final long GAP_MS = 2_000;

  private long receivedBytes = -1;
  private long heardAtMs;
  private long lookedAtMs;

  /**
   * Since when nothing was received; null if that is not long.
   *
   * @param newReceivedBytes by the worker's consumer so far; -1 if unknown
   */
  @Nullable Long since(long newReceivedBytes, long nowMs) {
    boolean isHeard = newReceivedBytes < 0 || newReceivedBytes != receivedBytes;
    if (isHeard || nowMs - lookedAtMs > GAP_MS) {
      heardAtMs = nowMs;
    }
    receivedBytes = newReceivedBytes;
    lookedAtMs = nowMs;
    return nowMs - heardAtMs >= LONG_MS ? heardAtMs : null;
  }
}
