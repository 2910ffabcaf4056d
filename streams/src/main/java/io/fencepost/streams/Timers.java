package io.fencepost.streams;

/**
 * The timers of the key at hand: that of the message in {@link Processor#process}, that of the
 * timer in {@link TimedProcessor#onTimer}. There is one per key, kind and name; setting it again
 * moves it.
 */
public interface Timers {
  /**
   * Fires once event time has reached {@code timeMs}; at the end of this very input if it has
   * already.
   */
  void atEventTime(String name, long timeMs);

  /** Fires once the wall clock has reached {@code timeMs}, with or without input. */
  void atWallClock(String name, long timeMs);

  /** Does nothing if there is none. */
  void cancel(Timer.Kind kind, String name);
}
