package io.fencepost.broker.cluster;

import org.jspecify.annotations.Nullable;

/** One step of an incremental change of settings. The value is null only for DELETE. */
public record ConfigChange(String name, Operation operation, @Nullable String value) {
  /** What to do with the setting; the order is that of the wire protocol. */
  public enum Operation {
    SET,
    DELETE,
    /** Adds elements to a list. */
    APPEND,
    /** Takes elements out of a list. */
    SUBTRACT
  }
}
