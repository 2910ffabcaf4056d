package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.CodecMissingException;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.RecordIterator;
import java.nio.ByteBuffer;

/**
 * The first half of compaction: notes the newest offset of each key that was written since the last
 * run, until the memory for it is full. Aborted records count for nothing. Single-threaded.
 */
final class KeyScan {
  private final KeyOffsets newest;
  private final AbortedSpans aborted;
  private final LastBatches lastBatches;
  private final long fromOffset;
  private long endOffset;
  private boolean isFull;

  /**
   * @param fromOffset records below were compacted before
   */
  KeyScan(AbortedSpans aborted, CompactionRequest request, long fromOffset) {
    this.newest = request.newest();
    this.aborted = aborted;
    this.lastBatches = request.lastBatches();
    this.fromOffset = fromOffset;
    this.endOffset = fromOffset;
    newest.clear();
  }

  /** Everything below is noted. */
  long endOffset() {
    return endOffset;
  }

  /** The next batch of the log; false once there is no more room. */
  boolean note(BatchView batch) {
    if (isFull) {
      return false;
    }
    boolean isAborted = aborted.covers(batch);
    if (batch.lastOffset() < fromOffset) {
      return true;
    }
    if (batch.isControl()) {
      lastBatches.onMarker(batch);
    } else if (!isAborted) {
      noteRecords(batch);
    }
    if (!isFull) {
      endOffset = batch.nextOffset();
    }
    return !isFull;
  }

  private void noteRecords(BatchView batch) {
    try {
      RecordIterator records = RecordIterator.of(batch);
      while (records.next()) {
        long offset = records.record().offset();
        ByteBuffer key = records.record().key();
        if (offset >= fromOffset && key != null && !newest.put(key, offset)) {
          isFull = true;
          endOffset = Math.max(endOffset, offset);
          return;
        }
      }
    } catch (CodecMissingException | MalformedBatchException unreadable) {
      // It stays, and so do older records of its keys: too much is left, never too little.
      return;
    }
  }
}
