package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.port.AppendFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Walks the batches of a segment file through a small window. One per log, reused for all walks;
 * the view is valid until the next move. Single-threaded.
 */
final class BatchCursor {
  private static final int WINDOW_BYTES = 8 * 1024;
  private static final int SCAN_BYTES = 128 * 1024;

  private final BatchView view = new BatchView();
  private ByteBuffer window = ByteBuffer.allocate(0);
  private @Nullable AppendFile file;
  private String name = "";
  private long windowAt;
  private long position;
  private long nextPosition;
  private long limit;

  /** Stands in front of the batch at this position; batches end at the limit at the latest. */
  BatchCursor at(Segment segment, long position, long limit) {
    this.file = segment.log();
    this.name = segment.logPath();
    this.windowAt = 0;
    this.window.position(0).limit(0);
    this.nextPosition = position;
    this.position = position;
    this.limit = limit;
    return this;
  }

  /** For long walks: fewer and larger reads. */
  BatchCursor wide() {
    if (window.capacity() < SCAN_BYTES) {
      window = ByteBuffer.allocate(SCAN_BYTES).limit(0);
    }
    return this;
  }

  /**
   * Moves to the next batch and reads its header; false at the limit. Throws {@link
   * DamagedLogException} where the bytes are no batch.
   */
  boolean next() {
    BatchCheck.Verdict verdict = advance();
    if (verdict != null && verdict != BatchCheck.Verdict.GOOD) {
      throw new DamagedLogException(
          "segment "
              + name
              + " is damaged at byte "
              + nextPosition
              + ": "
              + verdict.sentence()
              + "; readers can go on behind it, restore the file to have all");
    }
    return verdict != null;
  }

  /** Like {@link #next}, but judges the whole batch, checksum too; null at the limit. */
  BatchCheck.@Nullable Verdict advanceChecked() {
    BatchCheck.Verdict verdict = advance();
    if (verdict != BatchCheck.Verdict.GOOD) {
      return verdict;
    }
    long claimed = view.crc();
    int size = view.sizeBytes();
    CRC32C crc = new CRC32C();
    long at = position + 21;
    long end = position + size;
    while (at < end) {
      need(at, 1);
      int from = (int) (at - windowAt);
      int count = (int) Math.min(window.limit() - from, end - at);
      ByteBuffer part = window.duplicate();
      part.limit(from + count).position(from);
      crc.update(part);
      at += count;
    }
    need(position, BatchView.HEADER_BYTES);
    view.wrap(window, (int) (position - windowAt));
    return crc.getValue() == claimed ? verdict : BatchCheck.Verdict.BAD_CRC;
  }

  private BatchCheck.@Nullable Verdict advance() {
    long available = limit - nextPosition;
    if (available <= 0) {
      return null;
    }
    if (available < BatchView.HEADER_BYTES) {
      return BatchCheck.Verdict.SHORT;
    }
    need(nextPosition, BatchView.HEADER_BYTES);
    int at = (int) (nextPosition - windowAt);
    BatchCheck.Verdict verdict = BatchCheck.checkHeader(window, at, available);
    if (verdict == BatchCheck.Verdict.GOOD) {
      position = nextPosition;
      view.wrap(window, at);
      nextPosition = position + view.sizeBytes();
    }
    return verdict;
  }

  /** The header-sized bytes at the position, whatever they are; null if there are too few. */
  @Nullable BatchView peek() {
    if (limit - nextPosition < BatchView.HEADER_BYTES) {
      return null;
    }
    need(nextPosition, BatchView.HEADER_BYTES);
    return view.wrap(window, (int) (nextPosition - windowAt));
  }

  BatchView view() {
    return view;
  }

  /** Where the current batch begins in the file. */
  long position() {
    return position;
  }

  /** Where the next batch begins, or should. */
  long nextPosition() {
    return nextPosition;
  }

  /** The view with the whole current batch in its buffer. */
  BatchView whole() {
    int size = view.sizeBytes();
    if (size > window.capacity()) {
      // Not kept: one large batch must not pin its size in the heap of every partition.
      ByteBuffer large = ByteBuffer.allocate(size);
      fill(large, position);
      return new BatchView().wrap(large, 0);
    }
    need(position, size);
    return view.wrap(window, (int) (position - windowAt));
  }

  private void need(long at, int count) {
    if (at >= windowAt && at + count <= windowAt + window.limit()) {
      return;
    }
    if (window.capacity() == 0) {
      window = ByteBuffer.allocate(WINDOW_BYTES);
    }
    window.clear();
    window.limit((int) Math.min(window.capacity(), limit - at));
    fill(window, at);
    windowAt = at;
  }

  private void fill(ByteBuffer into, long at) {
    AppendFile open = file;
    if (open == null || open.read(into, at) < 0 || into.hasRemaining()) {
      throw new DamagedLogException(
          "segment " + name + " ends before byte " + (at + into.limit()) + ", which it had");
    }
    into.flip();
  }
}
