package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;

/**
 * Reads every batch of a segment that a crash may have hurt, checks it, indexes it and cuts the
 * file in front of the first one that is torn, damaged or out of order.
 */
final class SegmentScan {
  private final BatchCursor cursor;
  private final int indexIntervalBytes;

  SegmentScan(BatchCursor cursor, int indexIntervalBytes) {
    this.cursor = cursor.wide();
    this.indexIntervalBytes = indexIntervalBytes;
  }

  /** Returns true if nothing had to be cut. */
  boolean run(Segment segment, LeaderEpochs epochs) {
    long size = segment.log().sizeBytes();
    segment.reset();
    long goodEnd = 0;
    cursor.at(segment, 0, size);
    while (cursor.advanceChecked() == BatchCheck.Verdict.GOOD) {
      BatchView batch = cursor.view();
      if (batch.baseOffset() < segment.nextOffset() || !segment.canHold(batch.lastOffset())) {
        break;
      }
      segment.note(batch, cursor.position(), indexIntervalBytes);
      epochs.note(batch.leaderEpoch(), batch.baseOffset());
      goodEnd = cursor.nextPosition();
    }
    if (goodEnd == size) {
      return true;
    }
    segment.log().truncate(goodEnd);
    segment.aborted().truncateToOffset(segment.nextOffset());
    return false;
  }
}
