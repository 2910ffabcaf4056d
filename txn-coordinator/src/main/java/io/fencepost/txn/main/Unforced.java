package io.fencepost.txn.main;

/** What becomes of bytes that a killed broker had written but not forced to its disk. */
public enum Unforced {
  /** The process dies, the machine does not: the operating system still writes them. */
  KEPT,
  /** The machine loses power: they are gone. */
  LOST,
  /**
   * The machine loses power in the middle of the broker's last write: of that a half is there, and
   * what else was not forced is gone, unless it is in the same file before it.
   */
  TORN
}
