package io.fencepost.streams;

import java.time.Duration;

/**
 * Which messages of two flows meet: those of equal keys where {@code left - before <= right <= left
 * + after}, by their timestamps. A message waits for partners until event time (the newest
 * timestamp of either flow in its task) is above the end of its window plus the grace: a left one
 * until {@code left + after + grace}, a right one until {@code right + before + grace}. Whatever
 * comes when its own wait would be over is late.
 *
 * <p>So a pair is found whenever the one that arrives later is at most the grace behind event time.
 */
public final class JoinWindow {
  private static final SideOutput<Object, Object> LATE = SideOutput.named("late");
  private static final SideOutput<Object, Object> LATE_RIGHT = SideOutput.named("late-right");

  private final long beforeMs;
  private final long afterMs;
  private final long graceMs;

  private JoinWindow(long beforeMs, long afterMs, long graceMs) {
    this.beforeMs = beforeMs;
    this.afterMs = afterMs;
    this.graceMs = graceMs;
  }

  /** Timestamps at most that far apart, without grace. */
  public static JoinWindow of(Duration difference) {
    long ms = millis("difference", difference);
    return new JoinWindow(ms, ms, 0);
  }

  /** How much older than the left message the right one may be. */
  public JoinWindow before(Duration difference) {
    return new JoinWindow(millis("before", difference), afterMs, graceMs);
  }

  /** How much newer than the left message the right one may be. */
  public JoinWindow after(Duration difference) {
    return new JoinWindow(beforeMs, millis("after", difference), graceMs);
  }

  /** For how much disorder a message waits beyond its window. */
  public JoinWindow grace(Duration disorder) {
    return new JoinWindow(beforeMs, afterMs, millis("grace", disorder));
  }

  /** For {@link Processed#side} of a join: the messages of the left flow that came late. */
  @SuppressWarnings("unchecked") // the join emits messages of the left flow there
  public static <K, V> SideOutput<K, V> late() {
    return (SideOutput<K, V>) (SideOutput<?, ?>) LATE;
  }

  /** For {@link Processed#side} of a join: the messages of the right flow that came late. */
  @SuppressWarnings("unchecked") // the join emits messages of the right flow there
  public static <K, V> SideOutput<K, V> lateRight() {
    return (SideOutput<K, V>) (SideOutput<?, ?>) LATE_RIGHT;
  }

  public long beforeMs() {
    return beforeMs;
  }

  public long afterMs() {
    return afterMs;
  }

  public long graceMs() {
    return graceMs;
  }

  private static long millis(String what, Duration duration) {
    Durations.checkMillis(what + " of a join window", duration);
    return duration.toMillis();
  }
}
