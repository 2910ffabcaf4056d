package io.fencepost.streams;

import java.time.Duration;

/**
 * How event time is cut into windows, {@code [start, end)} each. A window closes once the event
 * time of its task (the highest timestamp that its operator has seen) reaches end + grace; a
 * message that comes later than that is late.
 */
public sealed interface Windows {
  /** Beyond this, sums of times could overflow. */
  long MAX_MS = Long.MAX_VALUE / 8;

  /** For how long after its end a window still takes messages. */
  Duration grace();

  /** Windows of one size side by side: each message is in one. */
  static Aligned tumbling(Duration size) {
    return new Aligned(size, size, Duration.ZERO);
  }

  /**
   * Windows of one size, one starting at each multiple of {@code advance}: each message is in size
   * / advance of them, and costs as many reads and writes.
   *
   * @param advance at most the size
   */
  static Aligned hopping(Duration size, Duration advance) {
    return new Aligned(size, advance, Duration.ZERO);
  }

  /**
   * Messages of one key with less than {@code gap} between neighbours, in whatever order they come.
   * The window goes from its first message to {@code gap} after its last one.
   */
  static Sessions session(Duration gap) {
    return new Sessions(gap, Duration.ZERO);
  }

  /** Windows that start at the multiples of {@code advance} since 1970, before 1970 as well. */
  record Aligned(Duration size, Duration advance, Duration grace) implements Windows {
    public Aligned {
      Durations.checkPositive("size", size);
      Durations.checkPositive("advance", advance);
      Durations.checkMillis("grace", grace);
      if (advance.compareTo(size) > 0) {
        throw new IllegalArgumentException(
            "advance " + advance + " above size " + size + " leaves times without a window");
      }
    }

    /** The same windows, open for longer. */
    public Aligned grace(Duration longer) {
      return new Aligned(size, advance, longer);
    }
  }

  /** Windows that the messages of a key make themselves. */
  record Sessions(Duration gap, Duration grace) implements Windows {
    public Sessions {
      Durations.checkPositive("gap", gap);
      Durations.checkMillis("grace", grace);
    }

    /** The same windows, open for longer. */
    public Sessions grace(Duration longer) {
      return new Sessions(gap, longer);
    }
  }
}
