package io.fencepost.txn.group;

/** A member's share of the work, opaque to the broker. Immutable. */
public final class Assignment {
  static final Assignment NONE = new Assignment(new byte[0]);

  private final byte[] bytes;

  public Assignment(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Callers do not write into it. */
  public byte[] bytes() {
    return bytes;
  }
}
