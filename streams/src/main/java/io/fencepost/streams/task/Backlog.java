package io.fencepost.streams.task;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Input that was polled and not processed yet, handed out in slices. A slice takes about {@link
 * #SLICE_MS}, so that a transaction is looked at in time however slow the user's code is; the
 * consumer's position stands behind the backlog.
 */
final class Backlog {
  private static final long SLICE_MS = 20;
  private static final int SLICE_MAX = 2_000;

  private final ArrayDeque<Gateway.Batch> batches = new ArrayDeque<>();
  private final int sliceMin;
  private int sliceRecords;
  private int lastRecords;
  private long lastAtMs;

  /**
   * Nothing waits.
   *
   * @param sliceMin the fewest records of a slice, whatever time they take
   */
  Backlog(int sliceMin) {
    this.sliceMin = sliceMin;
    this.sliceRecords = Math.max(sliceMin, 64);
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  boolean holds(TopicPartition partition) {
    return firstOffset(partition) != null;
  }

  /** Offset of the first waiting record of that partition; null if there is none. */
  @Nullable Long firstOffset(TopicPartition partition) {
    for (Gateway.Batch batch : batches) {
      if (batch.partition().equals(partition)) {
        return batch.records().get(0).offset();
      }
    }
    return null;
  }

  void add(List<Gateway.Batch> polled) {
    batches.addAll(polled);
    lastRecords = 0;
  }

  void remove(Collection<TopicPartition> partitions) {
    batches.removeIf(batch -> partitions.contains(batch.partition()));
  }

  void clear() {
    batches.clear();
    lastRecords = 0;
  }

  /** The next records of one partition; null if there are none. */
  Gateway.@Nullable Batch next(long nowMs) {
    measure(nowMs);
    Gateway.Batch first = batches.poll();
    if (first == null) {
      return null;
    }
    int size = first.records().size();
    if (size > sliceRecords) {
      batches.addFirst(
          new Gateway.Batch(first.partition(), first.records().subList(sliceRecords, size)));
      first = new Gateway.Batch(first.partition(), first.records().subList(0, sliceRecords));
    }
    lastRecords = first.records().size();
    lastAtMs = nowMs;
    return first;
  }

  private void measure(long nowMs) {
    long tookMs = nowMs - lastAtMs;
    if (lastRecords > 0 && tookMs > SLICE_MS) {
      long fitting = lastRecords * SLICE_MS / tookMs;
      sliceRecords = (int) Math.max(sliceMin, Math.min(sliceRecords, fitting));
    } else if (lastRecords >= sliceRecords) {
      sliceRecords = Math.max(sliceMin, Math.min(SLICE_MAX, sliceRecords * 2));
    }
  }
}
