package io.fencepost.broker.replica;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Who waits in one partition: producers for an end offset to be safe here (acks=1) or committed
 * (acks=all), readers for the end of what they may see to move. Under the partition's lock; answers
 * go out as effects.
 */
final class AckWaits {
  private final AppendWaits local = new AppendWaits();
  private final AppendWaits committed = new AppendWaits();
  private final List<FetchWatch> readers = new ArrayList<>();

  /** Producers with acks=1. */
  AppendWaits local() {
    return local;
  }

  /** Producers with acks=all, and coordinators. */
  AppendWaits committed() {
    return committed;
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
    return !(local.isEmpty() && committed.isEmpty());
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

  /** Refuses those who need more than these ends. */
  void failAbove(long localEnd, long committedEnd, AppendResult refusal, Effects effects) {
    local.failAbove(localEnd, refusal, effects);
    committed.failAbove(committedEnd, refusal, effects);
  }

  /** Refuses those who are late; returns the nanoseconds to the next deadline, or NEVER. */
  long expire(long nowNanos, long logStartOffset, Effects effects) {
    return Math.min(
        local.expire(nowNanos, logStartOffset, effects),
        committed.expire(nowNanos, logStartOffset, effects));
  }
}
