package io.fencepost.streams.task;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * When to try again, and when to stop trying: failures without any success for too long, or too
 * many fences in a minute. The first failure is followed at once, each further one by a pause that
 * doubles.
 */
final class Patience {
  /** What to do after a failure. */
  enum Answer {
    GO_ON,
    GIVE_UP,
    REPLACED
  }

  private static final int FENCES_PER_MINUTE = 6;
  private static final long MINUTE_MS = 60_000;
  private static final long IDLE_MS = 10_000;
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LONGEST_PAUSE_MS = 1_000;

  private final long timeoutMs;
  private final ArrayDeque<Long> fencesAtMs = new ArrayDeque<>();
  private long failingSinceMs = Long.MIN_VALUE;
  private long failedAtMs;
  private long nextPauseMs;
  private long pausedUntilMs = Long.MIN_VALUE;

  Patience(long timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  void worked() {
    failingSinceMs = Long.MIN_VALUE;
    nextPauseMs = 0;
  }

  /** Whether it is too early for the next try. */
  boolean pauses(long nowMs) {
    return nowMs < pausedUntilMs;
  }

  /** The first failure after the last success; null if there is none. */
  @Nullable Long failingSinceMs() {
    return failingSinceMs == Long.MIN_VALUE ? null : failingSinceMs;
  }

  /** Nothing to do, and not only because the input of a failed cycle is still on its way. */
  void idle(long nowMs) {
    if (nowMs - failedAtMs > IDLE_MS) {
      failingSinceMs = Long.MIN_VALUE;
    }
  }

  Answer failed(FailureClass failure, long nowMs) {
    failedAtMs = nowMs;
    pausedUntilMs = nowMs + nextPauseMs;
    nextPauseMs = Math.max(FIRST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, 2 * nextPauseMs));
    if (failingSinceMs == Long.MIN_VALUE) {
      failingSinceMs = nowMs;
    }
    if (failure == FailureClass.FENCED) {
      fencesAtMs.addLast(nowMs);
      while (fencesAtMs.getFirst() < nowMs - MINUTE_MS) {
        fencesAtMs.removeFirst();
      }
      if (fencesAtMs.size() >= FENCES_PER_MINUTE) {
        return Answer.REPLACED;
      }
    }
    return nowMs - failingSinceMs > timeoutMs ? Answer.GIVE_UP : Answer.GO_ON;
  }
}
