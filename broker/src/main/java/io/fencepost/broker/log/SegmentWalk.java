package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks a segment's batches for those who only look, and goes on behind damage: each step is an
 * intact batch or a stretch of bytes that are none. Memory does not grow with the segment.
 * Single-threaded.
 */
public final class SegmentWalk {
  private static final int SEARCH_BYTES = 64 * 1024;
  private static final int MAGIC_AT = 16;

  private final Segment segment;
  private final BatchCursor cursor = new BatchCursor().wide();
  private final BatchCursor probe = new BatchCursor();
  private final BatchView candidate = new BatchView();
  private final long size;
  private ByteBuffer search = ByteBuffer.allocate(0);
  private BatchCheck.@Nullable Verdict verdict;
  private long position;
  private long endPosition;
  private long floorOffset;

  SegmentWalk(Segment segment) {
    this.segment = segment;
    this.size = segment.log().sizeBytes();
    this.floorOffset = segment.baseOffset();
    cursor.at(segment, 0, size);
  }

  /** Stands in front of the batch at this position; the walk goes on from there. */
  public SegmentWalk at(long newPosition) {
    cursor.at(segment, newPosition, size);
    endPosition = newPosition;
    floorOffset = segment.baseOffset();
    return this;
  }

  /** Moves to the next batch or the next damage; false at the end of the file. */
  public boolean next() {
    position = endPosition;
    verdict = cursor.advanceChecked();
    if (verdict == null) {
      return false;
    }
    if (verdict == BatchCheck.Verdict.GOOD) {
      endPosition = cursor.nextPosition();
      floorOffset = cursor.view().nextOffset();
    } else {
      endPosition = resume(verdict);
      cursor.at(segment, endPosition, size);
    }
    return true;
  }

  /** Whether the step is a stretch of bytes that are no intact batch. */
  public boolean isDamage() {
    return verdict != BatchCheck.Verdict.GOOD;
  }

  /** What is wrong with the first bytes of the damage. */
  public String damage() {
    return verdict == null ? "" : verdict.sentence();
  }

  /** Whether the file simply ends inside of a batch, as after a write that was cut short. */
  public boolean isTornEnd() {
    return isDamage() && endPosition == size;
  }

  public long baseOffset() {
    return segment.baseOffset();
  }

  public String path() {
    return segment.logPath();
  }

  public long sizeBytes() {
    return size;
  }

  /** Where the step begins in the file. */
  public long position() {
    return position;
  }

  /** Where it ends. */
  public long endPosition() {
    return endPosition;
  }

  /** The header of the current batch; valid until the next step. */
  public BatchView view() {
    return cursor.view();
  }

  /** The current batch with all its bytes in the buffer; valid until the next step. */
  public BatchView whole() {
    return cursor.whole();
  }

  public void close() {
    segment.close();
  }

  /** The next position at which an intact batch stands, or the end of the file. */
  private long resume(BatchCheck.Verdict why) {
    if (why == BatchCheck.Verdict.BAD_CRC) {
      // Its length may well be right; batches inside of its records must not be taken for ours.
      long behind = cursor.nextPosition();
      if (behind == size || isIntact(behind)) {
        return behind;
      }
    }
    for (long at = find(position + 1); at < size; at = find(at + 1)) {
      if (isIntact(at)) {
        return at;
      }
    }
    return size;
  }

  private boolean isIntact(long at) {
    probe.at(segment, at, size);
    return probe.advanceChecked() == BatchCheck.Verdict.GOOD && isPlausible(probe.view());
  }

  private boolean isPlausible(BatchView batch) {
    return batch.baseOffset() >= floorOffset && segment.canHold(batch.lastOffset());
  }

  /** The first position from here on at which a header may begin; the size if there is none. */
  private long find(long from) {
    if (search.capacity() == 0) {
      search = ByteBuffer.allocate(SEARCH_BYTES);
    }
    long at = from;
    while (at + BatchView.HEADER_BYTES <= size) {
      search.clear();
      int read = segment.log().read(search, at);
      search.flip();
      int last = read - BatchView.HEADER_BYTES;
      for (int i = 0; i <= last; i++) {
        if (search.get(i + MAGIC_AT) == BatchView.MAGIC
            && BatchCheck.checkHeader(search, i, size - at - i) == BatchCheck.Verdict.GOOD
            && isPlausible(candidate.wrap(search, i))) {
          return at + i;
        }
      }
      if (last < 0) {
        break;
      }
      at += last + 1;
    }
    return size;
  }
}
