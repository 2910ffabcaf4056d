package io.fencepost.streams.operators;

/**
 * A lower bound on the ends of the windows in a store, so that the store is neither asked at each
 * message nor read from its very start, where deleted windows may still lie. Known for one {@link
 * io.fencepost.streams.ProcessorContext#history} only.
 */
final class FirstEnd {
  private long endMs = Long.MIN_VALUE;
  private long knownAt = -1;

  /** {@link Long#MIN_VALUE} if nothing is known. */
  long atLeastMs(long history) {
    return knownAt == history ? endMs : Long.MIN_VALUE;
  }

  /** What the store said; {@link Long#MAX_VALUE} if it holds no window. */
  void found(long history, long firstEndMs) {
    knownAt = history;
    endMs = firstEndMs;
  }

  /** A window was stored. */
  void added(long history, long addedEndMs) {
    if (knownAt == history) {
      endMs = Math.min(endMs, addedEndMs);
    }
  }
}
