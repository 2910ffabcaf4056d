package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Who waits in one partition: producers for an end offset to be committed, readers for the end of
 * what they may see to move. Under the partition's lock; answers go out as effects.
 */
final class AckWaits {
  /** No deadline is left. */
  static final long NEVER = Long.MAX_VALUE;

  /**
   * @param neededEnd answered with the result once the end is at or above
   * @param order of arrival, so that answers for equal ends keep it
   */
  private record ProduceWait(
      long neededEnd,
      long order,
      long deadlineNanos,
      AppendResult result,
      AppendCallback callback) {}

  private static final Comparator<ProduceWait> BY_END =
      Comparator.comparingLong(ProduceWait::neededEnd).thenComparingLong(ProduceWait::order);

  private final PriorityQueue<ProduceWait> producers = new PriorityQueue<>(BY_END);
  private final List<FetchWatch> readers = new ArrayList<>();
  private long arrivals;

  /** Answers when the end is at or above the one needed. */
  void awaitEnd(long neededEnd, long deadlineNanos, AppendResult result, AppendCallback callback) {
    producers.add(new ProduceWait(neededEnd, arrivals++, deadlineNanos, result, callback));
  }

  void watch(FetchWatch reader) {
    readers.add(reader);
  }

  void cancel(FetchWatch reader) {
    readers.remove(reader);
  }

  int readerCount() {
    return readers.size();
  }

  boolean hasProducers() {
    return !producers.isEmpty();
  }

  /** Answers all whose end is reached. */
  void onEnd(long end, Effects effects) {
    for (ProduceWait wait = producers.peek();
        wait != null && wait.neededEnd() <= end;
        wait = producers.peek()) {
      AppendCallback callback = wait.callback();
      AppendResult result = wait.result();
      effects.add(() -> callback.done(result));
      producers.poll();
    }
  }

  /** Wakes the readers who can see more than before. */
  void onVisible(ToLongFunction<Isolation> visibleEnd, Effects effects) {
    Iterator<FetchWatch> all = readers.iterator();
    while (all.hasNext()) {
      FetchWatch reader = all.next();
      if (visibleEnd.applyAsLong(reader.isolation()) > reader.seenEnd()) {
        all.remove();
        effects.add(reader.wake());
      }
    }
  }

  /** Wakes all readers, since there is news other than data. */
  void wakeAll(Effects effects) {
    readers.forEach(reader -> effects.add(reader.wake()));
    readers.clear();
  }

  /** Refuses all who need an end above this one. */
  void failAbove(long end, AppendResult refusal, Effects effects) {
    refuse(wait -> wait.neededEnd() > end, refusal, effects);
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
    for (ProduceWait wait : producers) {
      next = Math.min(next, wait.deadlineNanos() - nowNanos);
    }
    return next;
  }

  private void refuse(Predicate<ProduceWait> condition, AppendResult refusal, Effects effects) {
    List<ProduceWait> refused = new ArrayList<>();
    producers.removeIf(
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
