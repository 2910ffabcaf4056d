package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Producers who wait until a partition is safe up to some end. Under the partition's lock; answers
 * go out as effects.
 */
final class AppendWaits {
  /** No deadline is left. */
  static final long NEVER = Long.MAX_VALUE;

  /**
   * @param neededEnd answered with the result once the end is at or above
   * @param order of arrival, so that answers for equal ends keep it
   * @param isInternal of a coordinator, which must learn the true fate of its write
   */
  private record Wait(
      long neededEnd,
      long order,
      long deadlineNanos,
      boolean isInternal,
      AppendResult result,
      AppendCallback callback) {}

  private static final Comparator<Wait> BY_END =
      Comparator.comparingLong(Wait::neededEnd).thenComparingLong(Wait::order);

  private final PriorityQueue<Wait> waits = new PriorityQueue<>(BY_END);
  private long arrivals;

  /** Answers when the end is at or above the one needed. */
  void await(
      long neededEnd,
      long deadlineNanos,
      boolean isInternal,
      AppendResult result,
      AppendCallback callback) {
    waits.add(new Wait(neededEnd, arrivals++, deadlineNanos, isInternal, result, callback));
  }

  boolean isEmpty() {
    return waits.isEmpty();
  }

  /** Answers all whose end is reached. */
  void onEnd(long end, Effects effects) {
    for (Wait wait = waits.peek(); wait != null && wait.neededEnd() <= end; wait = waits.peek()) {
      AppendCallback callback = wait.callback();
      AppendResult result = wait.result();
      effects.add(() -> callback.done(result));
      waits.poll();
    }
  }

  /** Refuses all who need an end above this one. */
  void failAbove(long end, AppendResult refusal, Effects effects) {
    refuse(wait -> wait.neededEnd() > end, refusal, effects);
  }

  /** Refuses all but the coordinators. */
  void failProducers(AppendResult refusal, Effects effects) {
    refuse(wait -> !wait.isInternal(), refusal, effects);
  }

  /** Refuses those who are late; returns the nanoseconds to the next deadline, or NEVER. */
  long expire(long nowNanos, long logStartOffset, Effects effects) {
    AppendResult late =
        AppendResult.refused(
            WireError.REQUEST_TIMED_OUT,
            logStartOffset,
            "written, but not committed within the time of the request; retry to learn its fate");
    refuse(wait -> wait.deadlineNanos() - nowNanos <= 0, late, effects);
    long next = NEVER;
    for (Wait wait : waits) {
      next = Math.min(next, wait.deadlineNanos() - nowNanos);
    }
    return next;
  }

  private void refuse(Predicate<Wait> condition, AppendResult refusal, Effects effects) {
    List<Wait> refused = new ArrayList<>();
    waits.removeIf(
        wait -> {
          boolean matches = condition.test(wait);
          if (matches) {
            refused.add(wait);
          }
          return matches;
        });
    refused.sort(BY_END);
    refused.forEach(wait -> effects.add(() -> wait.callback().done(refusal)));
  }
}
