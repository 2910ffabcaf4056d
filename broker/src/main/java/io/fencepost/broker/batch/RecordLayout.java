package io.fencepost.broker.batch;

import java.nio.ByteBuffer;

/**
 * Whether the records of a batch are what its header says, so that nothing is stored at which every
 * reader would stop for ever. Sees uncompressed records only; compressed ones are not unpacked.
 */
public final class RecordLayout {
  private RecordLayout() {}

  /**
   * Throws {@link MalformedBatchException} unless the records are as many as stated, each as long
   * as it says and at the offset of its place, and nothing stands behind them.
   */
  public static void check(BatchView batch) {
    if (batch.compression() != Compression.NONE) {
      return;
    }
    ByteBuffer in = batch.records().slice();
    int count = batch.recordCount();
    for (int index = 0; index < count; index++) {
      checkRecord(in, index);
    }
    if (in.hasRemaining()) {
      throw new MalformedBatchException(
          in.remaining() + " bytes stand behind the last of " + count + " records");
    }
  }

  private static void checkRecord(ByteBuffer in, int index) {
    int size = Varint.readInt(in);
    if (size < RecordView.MIN_BYTES || size > in.remaining()) {
      throw malformed(index, "claims " + size + " bytes");
    }
    int end = in.position() + size;
    in.get();
    Varint.readLong(in);
    int offsetDelta = Varint.readInt(in);
    if (offsetDelta != index) {
      throw malformed(index, "has offset delta " + offsetDelta);
    }
    skipField(in, end, index);
    skipField(in, end, index);
    int headerCount = Varint.readInt(in);
    for (int header = 0; header < headerCount; header++) {
      if (skipField(in, end, index) < 0) {
        throw malformed(index, "has a header without a name");
      }
      skipField(in, end, index);
    }
    if (headerCount < 0 || in.position() != end) {
      throw malformed(index, "is not as long as it claims");
    }
  }

  /** Returns the size of the field; negative for null. */
  private static int skipField(ByteBuffer in, int end, int index) {
    int size = Varint.readInt(in);
    if (size > end - in.position()) {
      throw malformed(index, "has a field of " + size + " bytes");
    }
    in.position(in.position() + Math.max(0, size));
    return size;
  }

  private static MalformedBatchException malformed(int index, String what) {
    return new MalformedBatchException("record " + index + " of the batch " + what);
  }
}
