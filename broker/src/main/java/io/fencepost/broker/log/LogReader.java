package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.CodecMissingException;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.RecordWalk;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.testing.Rule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds batches by offset and by time in the segments of one log. Single-threaded. */
final class LogReader {
  /** Looking up a time takes no longer than unpacking so much, while its partition waits. */
  private static final long MOST_UNPACKED_BYTES = 64 << 20;

  private final List<Segment> segments;
  private final BatchCursor cursor;
  private int indexIntervalBytes = LogConfig.defaults().indexIntervalBytes();

  LogReader(List<Segment> segments, BatchCursor cursor) {
    this.segments = segments;
    this.cursor = cursor;
  }

  void configure(int indexIntervalBytes) {
    this.indexIntervalBytes = indexIntervalBytes;
  }

  /** The index of the last segment that begins at or before the offset; 0 if there is none. */
  int segmentOf(long offset) {
    int low = 1;
    int high = segments.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (segments.get(middle).baseOffset() <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return Math.max(high, 0);
  }

  ReadResult read(long offset, int maxBytes, boolean atLeastOne, long endOffsetExclusive) {
    ReadResult nothing = new ReadResult(Bytes.EMPTY, offset, offset);
    if (offset >= endOffsetExclusive) {
      return nothing;
    }
    for (int i = segmentOf(offset); i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (moveTo(segment, offset) && isBatchOf(offset)) {
        BatchView first = cursor.view();
        int firstBytes = first.sizeBytes();
        if (first.lastOffset() >= endOffsetExclusive || (firstBytes > maxBytes && !atLeastOne)) {
          return nothing;
        }
        Range range =
            new Range(
                segment,
                cursor.position(),
                cursor.position() + firstBytes,
                first.baseOffset(),
                first.nextOffset());
        return firstBytes >= maxBytes
            ? range.toResult(range.firstEnd, range.firstNext)
            : extend(range, maxBytes, endOffsetExclusive);
      }
    }
    return nothing;
  }

  /** Whether the cursor is on the batch to begin with. */
  private boolean isBatchOf(long offset) {
    return Rule.BATCH_HOLDS_ITS_OFFSETS.holds()
        || cursor.view().baseOffset() >= offset
        || cursor.next();
  }

  /** Where the first batch of an answer stands. */
  private record Range(Segment segment, long from, long firstEnd, long firstBase, long firstNext) {
    ReadResult toResult(long end, long nextOffset) {
      return new ReadResult(segment.log().region(from, (int) (end - from)), firstBase, nextOffset);
    }
  }

  private ReadResult extend(Range range, int maxBytes, long endOffsetExclusive) {
    Segment segment = range.segment;
    long end = segment.log().sizeBytes();
    long nextOffset = segment.nextOffset();
    if (endOffsetExclusive < nextOffset && moveTo(segment, endOffsetExclusive)) {
      end = cursor.position();
      nextOffset = Math.min(cursor.view().baseOffset(), endOffsetExclusive);
    }
    long most = range.from + maxBytes;
    if (end > most) {
      long walkFrom = segment.boundaryBefore(most, cursor, indexIntervalBytes);
      cursor.at(segment, Math.max(walkFrom, range.from), end);
      while (cursor.next() && cursor.nextPosition() <= most) {
        // Every batch that still fits is passed over.
      }
      end = cursor.position();
      nextOffset = cursor.view().baseOffset();
    }
    return range.toResult(end, nextOffset);
  }

  /** Puts the cursor on the first batch whose last offset is at or above this; false if none. */
  private boolean moveTo(Segment segment, long offset) {
    if (offset >= segment.nextOffset()) {
      return false;
    }
    long size = segment.log().sizeBytes();
    long from = segment.walkFrom(offset, cursor, indexIntervalBytes);
    cursor.at(segment, from, size);
    while (cursor.next()) {
      if (cursor.view().lastOffset() >= offset) {
        return true;
      }
    }
    return false;
  }

  void replay(long fromOffset, BatchListener listener) {
    BatchCursor walk = new BatchCursor().wide();
    for (int i = segmentOf(fromOffset); i < segments.size(); i++) {
      Segment segment = segments.get(i);
      long from = segment.walkFrom(fromOffset, cursor, indexIntervalBytes);
      walk.at(segment, from, segment.log().sizeBytes());
      while (walk.next()) {
        if (walk.view().lastOffset() >= fromOffset) {
          listener.onBatch(walk.whole());
        }
      }
    }
  }

  List<AbortedTxn> aborted(long fromOffset, long toOffsetExclusive) {
    List<AbortedTxn> found = new ArrayList<>();
    for (int i = segmentOf(fromOffset); i < segments.size(); i++) {
      if (segments.get(i).aborted().collect(fromOffset, toOffsetExclusive, found)) {
        break;
      }
    }
    return found;
  }

  /** Cuts the segment in front of the batch that holds the offset; returns the new end. */
  long truncate(Segment segment, long offset, int indexIntervalBytes) {
    long position = segment.log().sizeBytes();
    long newEnd = offset;
    if (moveTo(segment, offset)) {
      position = cursor.position();
      newEnd = Math.min(offset, cursor.view().baseOffset());
    }
    segment.truncateToPosition(position, newEnd, cursor, indexIntervalBytes);
    return newEnd;
  }

  @Nullable TimestampOffset offsetForTimestamp(long timestamp, long startOffset) {
    for (Segment segment : segments) {
      if (segment.maxTimestamp() >= timestamp) {
        moveToTime(segment, timestamp);
        while (cursor.next()) {
          TimestampOffset found = firstRecord(cursor, timestamp, startOffset);
          if (found != null) {
            return found;
          }
        }
      }
    }
    return null;
  }

  /** Puts the cursor in front of the first batch that can hold a record of this time or later. */
  private void moveToTime(Segment segment, long timestamp) {
    long size = segment.log().sizeBytes();
    int entry = segment.times().lowerByTime(timestamp);
    if (entry >= 0) {
      long entryTimestamp = segment.times().timestamp(entry);
      long entryOffset = segment.times().offset(entry);
      if (moveTo(segment, entryOffset)
          && cursor.view().lastOffset() == entryOffset
          && cursor.view().maxTimestamp() == entryTimestamp) {
        return;
      }
      segment.reindex(cursor, indexIntervalBytes);
    }
    cursor.at(segment, 0, size);
  }

  @Nullable TimestampOffset maxTimestamp(long startOffset) {
    Segment best = segments.get(0);
    for (Segment segment : segments) {
      if (segment.maxTimestamp() > best.maxTimestamp()) {
        best = segment;
      }
    }
    if (best.isEmpty() || best.maxTimestamp() < 0) {
      return null;
    }
    long timestamp = best.maxTimestamp();
    if (!moveTo(best, best.maxTimestampOffset())) {
      return null;
    }
    TimestampOffset found = firstRecord(cursor, timestamp, startOffset);
    return found != null ? found : maxTimestampFrom(startOffset);
  }

  /** The slow way, for when the greatest timestamp stands in front of the start. */
  private @Nullable TimestampOffset maxTimestampFrom(long startOffset) {
    TimestampOffset greatest = null;
    for (Segment segment : segments) {
      cursor.at(segment, 0, segment.log().sizeBytes());
      while (cursor.next()) {
        TimestampOffset found = greatest;
        do {
          greatest = found;
          long above = found == null ? 0 : found.timestamp() + 1;
          found = firstRecord(cursor, above, startOffset);
        } while (found != null && found.timestamp() != BatchView.NO_TIMESTAMP);
      }
    }
    return greatest;
  }

  private static @Nullable TimestampOffset firstRecord(
      BatchCursor cursor, long timestamp, long startOffset) {
    BatchView batch = cursor.view();
    if (batch.maxTimestamp() < timestamp || batch.lastOffset() < startOffset) {
      return null;
    }
    batch = cursor.whole();
    int epoch = batch.leaderEpoch();
    try (RecordWalk records = RecordWalk.of(batch, MOST_UNPACKED_BYTES)) {
      while (records.next()) {
        if (records.timestamp() >= timestamp && records.offset() >= startOffset) {
          return new TimestampOffset(records.timestamp(), records.offset(), epoch);
        }
      }
      return null;
    } catch (CodecMissingException | MalformedBatchException unreadable) {
      // The batch cannot be looked into; its first offset is never too late.
      return new TimestampOffset(
          batch.maxTimestamp(), Math.max(batch.baseOffset(), startOffset), epoch);
    }
  }
}
