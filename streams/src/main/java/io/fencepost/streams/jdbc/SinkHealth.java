package io.fencepost.streams.jdbc;

/**
 * How a sink is.
 *
 * @param detail the last failure while it is tried again; why it ended; else empty
 */
public record SinkHealth(State state, String detail) {
  /** From best to worst; of several workers the worst counts. */
  public enum State {
    /** Stores what comes, or waits for it. */
    WORKING,
    /** Has not taken its partitions in the database yet. */
    STARTING,
    /** Database or broker fails; it is tried again for task.timeout.ms. */
    RETRYING,
    /** Does nothing any more. */
    ENDED
  }

  SinkHealth worst(SinkHealth other) {
    return other.state.compareTo(state) > 0 ? other : this;
  }
}
