package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one batch without holding them, whatever they unpack to: what stands in
 * front of each record's content, and that its parts are as long as they say. Throws {@link
 * MalformedBatchException} where they are not, {@link OversizedBatchException} past the limit and
 * {@link CodecMissingException} without the codec's library. Not thread-safe.
 */
public final class RecordWalk implements AutoCloseable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Unpacker source;
  private final int count;
  private final RecordView.BatchFacts batch;
  private final long limitBytes;
  private ByteBuffer piece = NOTHING;

  /** Plain bytes in the pieces before this one and in this one. */
  private long piecesBytes;

  private int done;
  private long timestamp;
  private int offsetDelta;
  private boolean hasKey;

  private RecordWalk(BatchView batch, long limitBytes) {
    this.count = batch.recordCount();
    this.batch = RecordView.BatchFacts.of(batch);
    this.limitBytes = limitBytes;
    this.source = Codec.open(batch.compression(), batch.records());
  }

  /**
   * The whole batch must be in the view's buffer, also while it is walked.
   *
   * @param limitBytes the most that it may unpack to
   */
  public static RecordWalk of(BatchView batch, long limitBytes) {
    return new RecordWalk(batch, limitBytes);
  }

  /** Moves to the next record; false when there is none and nothing stands behind the last. */
  public boolean next() {
    if (done == count) {
      if (piece.hasRemaining() || refill()) {
        throw new MalformedBatchException("bytes stand behind the last of " + count + " records");
      }
      return false;
    }
    readRecord();
    done++;
    return true;
  }

  public long timestamp() {
    return timestamp;
  }

  public long offset() {
    return batch.baseOffset() + offsetDelta;
  }

  public boolean hasKey() {
    return hasKey;
  }

  @Override
  public void close() {
    source.close();
  }

  private void readRecord() {
    int size = readInt();
    if (size < RecordView.MIN_BYTES) {
      throw malformed("claims " + size + " bytes");
    }
    long end = position() + size;
    readByte();
    timestamp = batch.timestamp(readLong());
    offsetDelta = readInt();
    hasKey = skipField(end) >= 0;
    skipField(end);
    int headerCount = readInt();
    for (int header = 0; header < headerCount; header++) {
      if (skipField(end) < 0) {
        throw malformed("has a header without a name");
      }
      skipField(end);
    }
    if (headerCount < 0 || position() != end) {
      throw malformed("is not as long as it claims");
    }
  }

  /** Returns the size of the field; negative for null. */
  private int skipField(long end) {
    int size = readInt();
    if (size > end - position()) {
      throw malformed("has a field of " + size + " bytes");
    }
    for (int left = Math.max(0, size); left > 0; ) {
      need();
      int step = Math.min(left, piece.remaining());
      piece.position(piece.position() + step);
      left -= step;
    }
    return size;
  }

  private int readInt() {
    long raw = readRaw(5);
    if (raw >>> 32 != 0) {
      throw malformed("has a varint of more than 32 bits");
    }
    int value = (int) raw;
    return (value >>> 1) ^ -(value & 1);
  }

  private long readLong() {
    long raw = readRaw(10);
    return (raw >>> 1) ^ -(raw & 1);
  }

  private long readRaw(int maxBytes) {
    long value = 0;
    for (int i = 0; i < maxBytes; i++) {
      byte next = readByte();
      value |= (long) (next & 0x7F) << (7 * i);
      if (next >= 0) {
        return value;
      }
    }
    throw malformed("has a varint of more than " + maxBytes + " bytes");
  }

  private byte readByte() {
    need();
    return piece.get();
  }

  private long position() {
    return piecesBytes - piece.remaining();
  }

  private void need() {
    if (!piece.hasRemaining() && !refill()) {
      throw malformed("goes on behind the end of the batch");
    }
  }

  private boolean refill() {
    @Nullable ByteBuffer next = source.next();
    if (next == null) {
      return false;
    }
    piece = next;
    piecesBytes += next.remaining();
    if (piecesBytes > limitBytes) {
      throw new OversizedBatchException(limitBytes);
    }
    return true;
  }

  private MalformedBatchException malformed(String what) {
    return new MalformedBatchException("record " + done + " of the batch " + what);
  }
}
