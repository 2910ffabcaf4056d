package io.fencepost.broker.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fencepost.broker.port.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the primitives of the protocol. What is written is kept in a buffer that grows; records
 * are kept as they came, as parts of their own, so that a region of a file is never copied on its
 * way to the socket. {@code flexible} stands for the compact encoding. One thread at a time.
 */
public final class WireWriter {
  private static final int FIRST_CAPACITY = 256;
  private static final int COPIED_UP_TO_BYTES = 512;
  private static final int LONGEST_STRING = Short.MAX_VALUE;

  private final List<Bytes> parts = new ArrayList<>();
  private int partsBytes;
  private byte[] buffer;
  private int start;
  private int end;
  private int openTags;

  public WireWriter() {
    this(FIRST_CAPACITY);
  }

  /** Starts with room for that many bytes. */
  public WireWriter(int capacityBytes) {
    this.buffer = new byte[Math.max(16, capacityBytes)];
  }

  public int sizeBytes() {
    return Math.addExact(partsBytes, end - start);
  }

  /** Everything written, in order; parts share this writer's memory, so write no more after it. */
  public List<Bytes> toParts() {
    List<Bytes> all = new ArrayList<>(parts);
    if (end > start) {
      all.add(Bytes.of(ByteBuffer.wrap(buffer, start, end - start)));
    }
    return all;
  }

  /** Everything written, in one buffer; copies if there are several parts. */
  public ByteBuffer toBuffer() {
    if (parts.isEmpty()) {
      return ByteBuffer.wrap(buffer, start, end - start).slice();
    }
    ByteBuffer whole = ByteBuffer.allocate(sizeBytes());
    for (Bytes part : toParts()) {
      whole.put(part.toBuffer());
    }
    return whole.flip();
  }

  public void writeBool(boolean value) {
    writeInt8((byte) (value ? 1 : 0));
  }

  public void writeInt8(byte value) {
    reserve(1);
    buffer[end++] = value;
  }

  public void writeInt16(short value) {
    reserve(2);
    buffer[end++] = (byte) (value >> 8);
    buffer[end++] = (byte) value;
  }

  /** Of the value, the lower 16 bits count; others must be zero. */
  public void writeUint16(int value) {
    if (value >>> 16 != 0) {
      throw new WireException(value + " does not fit into an unsigned 16-bit field");
    }
    writeInt16((short) value);
  }

  public void writeInt32(int value) {
    reserve(4);
    buffer[end++] = (byte) (value >> 24);
    buffer[end++] = (byte) (value >> 16);
    buffer[end++] = (byte) (value >> 8);
    buffer[end++] = (byte) value;
  }

  /** Of the value, the lower 32 bits count; others must be zero. */
  public void writeUint32(long value) {
    if (value >>> 32 != 0) {
      throw new WireException(value + " does not fit into an unsigned 32-bit field");
    }
    writeInt32((int) value);
  }

  public void writeInt64(long value) {
    writeInt32((int) (value >> 32));
    writeInt32((int) value);
  }

  public void writeFloat64(double value) {
    writeInt64(Double.doubleToRawLongBits(value));
  }

  public void writeUuid(Uuid value) {
    writeInt64(value.high());
    writeInt64(value.low());
  }

  public void writeUnsignedVarint(int value) {
    reserve(5);
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      buffer[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[end++] = (byte) rest;
  }

  public void writeString(@Nullable String value, boolean flexible, String field) {
    refuseNull(value, field);
    writeNullableString(value, flexible);
  }

  public void writeNullableString(@Nullable String value, boolean flexible) {
    byte[] utf8 = value == null ? null : value.getBytes(UTF_8);
    if (utf8 != null && utf8.length > LONGEST_STRING) {
      throw new WireException(
          "A string of " + utf8.length + " bytes is too long, the most is " + LONGEST_STRING);
    }
    if (flexible) {
      writeUnsignedVarint(utf8 == null ? 0 : utf8.length + 1);
    } else {
      writeInt16((short) (utf8 == null ? -1 : utf8.length));
    }
    if (utf8 != null) {
      copy(utf8);
    }
  }

  public void writeBytes(byte @Nullable [] value, boolean flexible, String field) {
    refuseNull(value, field);
    writeNullableBytes(value, flexible);
  }

  public void writeNullableBytes(byte @Nullable [] value, boolean flexible) {
    writeLength(value == null ? -1 : value.length, flexible);
    if (value != null) {
      copy(value);
    }
  }

  public void writeRecords(@Nullable Bytes value, boolean flexible, String field) {
    refuseNull(value, field);
    writeNullableRecords(value, flexible);
  }

  public void writeNullableRecords(@Nullable Bytes value, boolean flexible) {
    writeLength(value == null ? -1 : value.sizeBytes(), flexible);
    if (value != null) {
      append(value);
    }
  }

  public void writeArrayLength(int count, boolean flexible) {
    writeLength(count, flexible);
  }

  public void writeNullArray(boolean flexible) {
    writeLength(-1, flexible);
  }

  /** The marker before a struct that may be null. */
  public void writeAbsent(boolean absent) {
    writeInt8((byte) (absent ? -1 : 1));
  }

  /** The marker before a struct that may be null and stands behind a tag. */
  public void writeAbsentTagged(boolean absent) {
    writeUnsignedVarint(absent ? 0 : 1);
  }

  public void writeNoTags() {
    writeInt8((byte) 0);
  }

  public void writeTagCount(int count) {
    writeUnsignedVarint(count);
  }

  /**
   * Begins the value of a tagged field; its size is filled in at the end.
   *
   * @return what {@link #leaveTag} needs
   */
  public int enterTag(int tag) {
    writeUnsignedVarint(tag);
    reserve(1);
    openTags++;
    return end++;
  }

  /** Ends the value of a tagged field. */
  public void leaveTag(int mark) {
    openTags--;
    int size = end - mark - 1;
    int more = varintBytes(size) - 1;
    if (more > 0) {
      reserve(more);
      System.arraycopy(buffer, mark + 1, buffer, mark + 1 + more, size);
    }
    int after = end + more;
    end = mark;
    writeUnsignedVarint(size);
    end = after;
  }

  /** Bytes without a length. Short ones in memory are copied, all others become a part. */
  public void append(Bytes value) {
    boolean cheap = value instanceof Bytes.InMemory && value.sizeBytes() <= COPIED_UP_TO_BYTES;
    if (cheap || openTags > 0) {
      ByteBuffer source = value.toBuffer();
      int size = source.remaining();
      reserve(size);
      source.get(buffer, end, size);
      end += size;
      return;
    }
    if (end > start) {
      parts.add(Bytes.of(ByteBuffer.wrap(buffer, start, end - start)));
    }
    parts.add(value);
    partsBytes = Math.addExact(sizeBytes(), value.sizeBytes());
    start = end;
  }

  private void writeLength(int length, boolean flexible) {
    if (flexible) {
      writeUnsignedVarint(length + 1);
    } else {
      writeInt32(length);
    }
  }

  private static void refuseNull(@Nullable Object value, String field) {
    if (value == null) {
      throw new WireException(field + " is null, which this version does not allow");
    }
  }

  private void copy(byte[] bytes) {
    reserve(bytes.length);
    System.arraycopy(bytes, 0, buffer, end, bytes.length);
    end += bytes.length;
  }

  private static int varintBytes(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Positions stay what they are when the buffer grows: marks of open tags depend on it. */
  private void reserve(int bytes) {
    if (buffer.length - end < bytes) {
      int least = Math.addExact(end, bytes);
      buffer = Arrays.copyOf(buffer, Math.max(least, (int) Math.min(2L * buffer.length, 1 << 30)));
    }
  }
}
