package io.fencepost.streams.operators;

import org.jspecify.annotations.Nullable;

/** A value on its way into a join of two flows, and from which of them it is. */
public record Sided(Side side, @Nullable Object value) {
  /** One of the two flows. */
  public enum Side {
    LEFT(1),
    RIGHT(2);

    /** How it is stored. */
    final byte code;

    Side(int code) {
      this.code = (byte) code;
    }

    Side other() {
      return this == LEFT ? RIGHT : LEFT;
    }
  }
}
