package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import org.jspecify.annotations.Nullable;

/**
 * Reads every batch of a segment that a crash may have hurt, checks it and indexes it, up to the
 * first one that is torn, damaged or out of order.
 */
final class SegmentScan {
  private final BatchCursor cursor;
  private final int indexIntervalBytes;

  SegmentScan(BatchCursor cursor, int indexIntervalBytes) {
    this.cursor = cursor.wide();
    this.indexIntervalBytes = indexIntervalBytes;
  }

  /**
   * Where the segment has to be cut. Nothing is cut until {@link #make}.
   *
   * @param why what is wrong with the bytes there
   * @param isFollowed whether an intact batch stands behind it, as no torn write leaves it
   */
  record Cut(Segment segment, long position, String why, boolean isFollowed) {
    void make() {
      segment.log().truncate(position);
      segment.aborted().truncateToOffset(segment.nextOffset());
    }

    /** For whoever reads the log: what was cut, and whether that looks like a crash. */
    String sentence() {
      return "cut to end at offset %d, since %d bytes of %s from byte %d on are no whole batches (%s)%s"
          .formatted(
              segment.nextOffset(),
              segment.log().sizeBytes() - position,
              segment.logPath(),
              position,
              why,
              isFollowed
                  ? "; intact ones stood behind them, so the disk has damaged what it held"
                  : ", as a crash or a cut leaves them");
    }
  }

  /** Null if the segment is whole. */
  @Nullable Cut run(Segment segment, LeaderEpochs epochs) {
    long size = segment.log().sizeBytes();
    segment.reset();
    cursor.at(segment, 0, size);
    BatchCheck.Verdict verdict = cursor.advanceChecked();
    long goodEnd = 0;
    while (verdict == BatchCheck.Verdict.GOOD) {
      BatchView batch = cursor.view();
      if (batch.baseOffset() < segment.nextOffset() || !segment.canHold(batch.lastOffset())) {
        return new Cut(segment, goodEnd, "the offsets go back", true);
      }
      segment.note(batch, cursor.position(), indexIntervalBytes);
      epochs.note(batch.leaderEpoch(), batch.baseOffset());
      goodEnd = cursor.nextPosition();
      verdict = cursor.advanceChecked();
    }
    if (verdict == null) {
      return null;
    }
    boolean isFollowed =
        verdict == BatchCheck.Verdict.BAD_CRC && cursor.advanceChecked() == BatchCheck.Verdict.GOOD;
    return new Cut(segment, goodEnd, verdict.sentence(), isFollowed);
  }
}
