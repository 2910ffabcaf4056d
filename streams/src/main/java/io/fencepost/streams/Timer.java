package io.fencepost.streams;

/**
 * A timer of one key.
 *
 * @param key the key of the message that set it
 * @param name tells several timers of one key apart
 * @param timeMs when it was due, in milliseconds since 1970 of its kind of time
 */
public record Timer<K>(K key, String name, long timeMs, Kind kind) {
  /** Which clock a timer goes by. */
  public enum Kind {
    /**
     * The highest timestamp of any message that this operator has seen in this task: the same at
     * every replay.
     */
    EVENT_TIME,
    /** The clock of the machine: fires without input, and not before the timer's time. */
    WALL_CLOCK
  }
}
