package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.port.Invariant;
import java.nio.ByteBuffer;

/** Looks over batches in front of an append: whole, in order, and what the roll must know. */
final class AppendSurvey {
  private final BatchView view = new BatchView();
  private long nextOffset;
  private long maxTimestamp;

  /** The batches fill the buffer and begin at or above the log's end; else it is a bug. */
  void run(ByteBuffer batches, long logEndOffset) {
    nextOffset = logEndOffset;
    maxTimestamp = BatchView.NO_TIMESTAMP;
    for (int at = batches.position(); at < batches.limit(); at += view.sizeBytes()) {
      int left = batches.limit() - at;
      view.wrap(batches, at);
      Invariant.check(
          left >= BatchView.HEADER_BYTES
              && view.sizeBytes() >= BatchView.HEADER_BYTES
              && view.sizeBytes() <= left,
          "append of %d bytes holds no whole batch at byte %d",
          batches.remaining(),
          at);
      Invariant.check(
          view.baseOffset() >= nextOffset && view.lastOffset() >= view.baseOffset(),
          "append of offset %d to a log that ends at %d",
          view.baseOffset(),
          nextOffset);
      nextOffset = view.nextOffset();
      maxTimestamp = Math.max(maxTimestamp, view.maxTimestamp());
    }
  }

  /** The log's end after the append. */
  long nextOffset() {
    return nextOffset;
  }

  long maxTimestamp() {
    return maxTimestamp;
  }
}
