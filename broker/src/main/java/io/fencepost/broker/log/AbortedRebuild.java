package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the aborted transactions again from the batches and markers themselves, when an aborted
 * index is missing or damaged. Reads the headers of the whole log: rare and slow, but right.
 */
final class AbortedRebuild {
  private final BatchCursor cursor;
  private final TreeMap<Long, Long> openFirstOffsets = new TreeMap<>();
  private final TreeSet<Long> ended = new TreeSet<>();
  private long logStart;

  AbortedRebuild(BatchCursor cursor) {
    this.cursor = cursor;
  }

  /** Replaces the aborted indexes of all segments. */
  void run(List<Segment> segments) {
    logStart = segments.get(0).baseOffset();
    for (Segment segment : segments) {
      segment.aborted().clear();
      cursor.at(segment, 0, segment.log().sizeBytes());
      while (cursor.next()) {
        BatchView batch = cursor.view();
        if (batch.isControl()) {
          end(segment, cursor.whole());
        } else if (batch.isTransactional()) {
          openFirstOffsets.putIfAbsent(batch.producerId(), batch.baseOffset());
        }
      }
      segment.aborted().flush();
    }
  }

  private void end(Segment segment, BatchView batch) {
    @Nullable ControlMarker marker = ControlMarker.of(batch);
    if (marker == null) {
      return;
    }
    Long firstOffset = openFirstOffsets.remove(batch.producerId());
    if (ended.add(batch.producerId()) && firstOffset == null && logStart > 0) {
      // It may have begun in a segment that is gone; what is left of it begins with the log.
      firstOffset = logStart;
    }
    if (firstOffset != null && !marker.commit()) {
      long stable = batch.lastOffset() + 1;
      for (long open : openFirstOffsets.values()) {
        stable = Math.min(stable, open);
      }
      segment
          .aborted()
          .add(new AbortedTxn(batch.producerId(), firstOffset, batch.lastOffset(), stable));
    }
  }
}
