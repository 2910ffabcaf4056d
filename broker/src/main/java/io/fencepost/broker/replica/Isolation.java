package io.fencepost.broker.replica;

/** Up to where a reader sees. */
public enum Isolation {
  /** The log end: followers and tools. */
  LOG_END,
  /** The high watermark: read_uncommitted. */
  HIGH_WATERMARK,
  /** The last stable offset: read_committed. */
  COMMITTED
}
