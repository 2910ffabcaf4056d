package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record at which a {@link RecordIterator} stands. Valid until the iterator moves; the buffers
 * that it hands out are slices and stay valid as long as the batch's bytes do.
 */
public final class RecordView {
  /** Of a record without key, value and headers. */
  static final int MIN_BYTES = 6;

  private long offset;
  private long timestamp;
  private @Nullable ByteBuffer key;
  private @Nullable ByteBuffer value;
  private ByteBuffer headerBytes = ByteBuffer.allocate(0);
  private int headerCount;

  RecordView() {}

  public long offset() {
    return offset;
  }

  public long timestamp() {
    return timestamp;
  }

  public @Nullable ByteBuffer key() {
    return key == null ? null : key.duplicate();
  }

  public @Nullable ByteBuffer value() {
    return value == null ? null : value.duplicate();
  }

  /** Decoded on each call. */
  public List<RecordHeader> headers() {
    ByteBuffer in = headerBytes.duplicate();
    List<RecordHeader> headers = new ArrayList<>();
    for (int i = 0; i < headerCount; i++) {
      byte[] name = bytes(required(field(in, "header key"), "header key"));
      ByteBuffer content = field(in, "header value");
      headers.add(
          new RecordHeader(
              new String(name, StandardCharsets.UTF_8), content == null ? null : bytes(content)));
    }
    return headers;
  }

  /** Reads the next record; its offset must lie in the batch. */
  void read(ByteBuffer in, BatchFacts batch) {
    int size = Varint.readInt(in);
    if (size < MIN_BYTES || size > in.remaining()) {
      throw new MalformedBatchException(
          "a record of batch " + batch.baseOffset() + " claims " + size + " bytes");
    }
    int end = in.position() + size;
    ByteBuffer body = in.duplicate();
    body.limit(end);
    body.get();
    long timestampDelta = Varint.readLong(body);
    int offsetDelta = Varint.readInt(body);
    if (offsetDelta < 0 || offsetDelta > batch.lastOffsetDelta()) {
      throw new MalformedBatchException(
          "a record of batch " + batch.baseOffset() + " has offset delta " + offsetDelta);
    }
    offset = batch.baseOffset() + offsetDelta;
    timestamp = batch.timestamp(timestampDelta);
    key = field(body, "key");
    value = field(body, "value");
    headerCount = Varint.readInt(body);
    if (headerCount < 0) {
      throw new MalformedBatchException("record " + offset + " has " + headerCount + " headers");
    }
    headerBytes = body.slice();
    checkHeaders(body);
    in.position(end);
  }

  private void checkHeaders(ByteBuffer body) {
    for (int i = 0; i < headerCount; i++) {
      required(field(body, "header key"), "header key");
      field(body, "header value");
    }
    if (body.hasRemaining()) {
      throw new MalformedBatchException(
          "record " + offset + " ends " + body.remaining() + " bytes before its stated size");
    }
  }

  private @Nullable ByteBuffer field(ByteBuffer in, String name) {
    int size = Varint.readInt(in);
    if (size < 0) {
      return null;
    }
    if (size > in.remaining()) {
      throw new MalformedBatchException(
          "the " + name + " of record " + offset + " claims " + size + " bytes");
    }
    ByteBuffer field = in.slice();
    field.limit(size);
    in.position(in.position() + size);
    return field.slice();
  }

  private ByteBuffer required(@Nullable ByteBuffer field, String name) {
    if (field == null) {
      throw new MalformedBatchException("record " + offset + " has a null " + name);
    }
    return field;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** What records inherit from their batch. */
  record BatchFacts(
      long baseOffset, int lastOffsetDelta, long baseTimestamp, long appendTime, boolean appended) {
    static BatchFacts of(BatchView batch) {
      return new BatchFacts(
          batch.baseOffset(),
          batch.lastOffsetDelta(),
          batch.baseTimestamp(),
          batch.maxTimestamp(),
          batch.timestampType() == TimestampType.LOG_APPEND_TIME);
    }

    long timestamp(long delta) {
      return appended ? appendTime : baseTimestamp + delta;
    }
  }
}
