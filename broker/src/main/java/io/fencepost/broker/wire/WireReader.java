package io.fencepost.broker.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.fencepost.broker.port.Bytes;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the primitives of the protocol from a buffer that nobody trusts. Every length is compared
 * with what is left before anything is allocated for it; whatever is wrong with the bytes comes out
 * as a {@link WireException} with field and position. {@code flexible} stands for the compact
 * encoding: lengths as unsigned varint plus one. One thread at a time.
 *
 * <p>A few bytes can announce many elements, each of which is an object. So what a message is read
 * into is claimed, before it is made, from whoever owns the memory.
 */
public final class WireReader {
  private static final int FIRST_CAPACITY = 64;
  private static final int LONGEST_STRING = Short.MAX_VALUE;
  private static final int NULL = -1;

  /** What an element of an array takes, with its place in the answer. */
  static final int ELEMENT_BYTES = 256;

  /** What a string or an array of bytes takes beside its content. */
  private static final int OBJECT_BYTES = 64;

  /** So much is not worth asking for. */
  static final int FREE_BYTES = 16 * 1024;

  private static final int CLAIM_BYTES = 64 * 1024;

  private final ByteBuffer buffer;
  private final LongPredicate claims;
  private long claimedBytes = FREE_BYTES;
  private @Nullable CharsetDecoder decoder;

  /**
   * Reads from the buffer's position to its limit; its own marks are left alone. For bytes that are
   * ours: memory is not claimed.
   */
  public WireReader(ByteBuffer buffer) {
    this(buffer, sizeBytes -> true);
  }

  /**
   * Reads from the buffer's position to its limit; its own marks are left alone.
   *
   * @param claims asked for so many bytes of memory more; if it says no, reading fails
   */
  public WireReader(ByteBuffer buffer, LongPredicate claims) {
    this.buffer = buffer.slice();
    this.claims = claims;
  }

  /** How many bytes have been read. */
  public int position() {
    return buffer.position();
  }

  public int remaining() {
    return buffer.remaining();
  }

  public boolean readBool(String field) {
    need(1, field);
    return buffer.get() != 0;
  }

  public byte readInt8(String field) {
    need(1, field);
    return buffer.get();
  }

  public short readInt16(String field) {
    need(2, field);
    return buffer.getShort();
  }

  public int readUint16(String field) {
    need(2, field);
    return buffer.getShort() & 0xffff;
  }

  public int readInt32(String field) {
    need(4, field);
    return buffer.getInt();
  }

  public long readUint32(String field) {
    need(4, field);
    return buffer.getInt() & 0xffff_ffffL;
  }

  public long readInt64(String field) {
    need(8, field);
    return buffer.getLong();
  }

  public double readFloat64(String field) {
    need(8, field);
    return buffer.getDouble();
  }

  public Uuid readUuid(String field) {
    need(16, field);
    long high = buffer.getLong();
    long low = buffer.getLong();
    return high == 0 && low == 0 ? Uuid.ZERO : new Uuid(high, low);
  }

  /** The 32 bits of a varint, to be taken as unsigned. */
  public int readUnsignedVarint(String field) {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      need(1, field);
      byte next = buffer.get();
      if (shift == 28 && (next & 0xf0) != 0) {
        throw malformed(field, "is a varint of more than 32 bits");
      }
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }

  public String readString(boolean flexible, String field) {
    String text = readNullableString(flexible, field);
    if (text == null) {
      throw malformed(field, "is null, which this version does not allow");
    }
    return text;
  }

  public @Nullable String readNullableString(boolean flexible, String field) {
    int length = flexible ? compactLength(field) : readInt16(field);
    if (length == NULL) {
      return null;
    }
    checkLength(length, field);
    if (length > LONGEST_STRING) {
      throw malformed(field, "is a string of " + length + " bytes, the most is " + LONGEST_STRING);
    }
    claim(OBJECT_BYTES + 2L * length, field);
    return text(length, field);
  }

  public byte[] readBytes(boolean flexible, String field) {
    byte[] bytes = readNullableBytes(flexible, field);
    if (bytes == null) {
      throw malformed(field, "is null, which this version does not allow");
    }
    return bytes;
  }

  public byte @Nullable [] readNullableBytes(boolean flexible, String field) {
    int length = bytesLength(flexible, field);
    if (length == NULL) {
      return null;
    }
    claim(OBJECT_BYTES + (long) length, field);
    byte[] bytes = new byte[length];
    buffer.get(bytes);
    return bytes;
  }

  /** A slice of this reader's buffer: valid as long as the buffer is. */
  public Bytes readRecords(boolean flexible, String field) {
    Bytes records = readNullableRecords(flexible, field);
    if (records == null) {
      throw malformed(field, "is null, which this version does not allow");
    }
    return records;
  }

  /** Like {@link #readRecords}, or null. */
  public @Nullable Bytes readNullableRecords(boolean flexible, String field) {
    int length = bytesLength(flexible, field);
    if (length == NULL) {
      return null;
    }
    Bytes records = Bytes.of(buffer.slice(buffer.position(), length));
    buffer.position(buffer.position() + length);
    return records;
  }

  /** The number of elements, each of which takes at least that many bytes. */
  public int readArrayLength(boolean flexible, int smallestElement, String field) {
    int count = readNullableArrayLength(flexible, smallestElement, field);
    if (count == NULL) {
      throw malformed(field, "is null, which this version does not allow");
    }
    return count;
  }

  /** Like {@link #readArrayLength}, or -1 for null. */
  public int readNullableArrayLength(boolean flexible, int smallestElement, String field) {
    int count = flexible ? compactLength(field) : readInt32(field);
    if (count == NULL) {
      return NULL;
    }
    if (count < 0 || (long) count * smallestElement > buffer.remaining()) {
      throw malformed(
          field, "counts " + count + " elements, " + buffer.remaining() + " bytes are left");
    }
    claim((long) count * ELEMENT_BYTES, field);
    return count;
  }

  /** An empty list for so many elements, which grows as they really come. */
  public static <T> List<T> newList(int count) {
    return new ArrayList<>(Math.min(count, FIRST_CAPACITY));
  }

  /** The marker before a struct that may be null. */
  public boolean readAbsent(String field) {
    return readInt8(field) < 0;
  }

  /** The marker before a struct that may be null and stands behind a tag. */
  public boolean readAbsentTagged(String field) {
    return readUnsignedVarint(field) == 0;
  }

  /** The number of tagged fields, each of which takes two bytes at least. */
  public int readTagCount() {
    int count = readUnsignedVarint("tagged fields");
    if (count < 0 || count * 2L > buffer.remaining()) {
      throw malformed("A struct", "counts " + Integer.toUnsignedString(count) + " tagged fields");
    }
    return count;
  }

  public int readTag() {
    return readUnsignedVarint("tag");
  }

  /**
   * Narrows this reader to the value of a tagged field.
   *
   * @return what {@link #leaveTag} needs to widen it again
   */
  public int enterTag(int tag, String owner) {
    int size = readUnsignedVarint("tagged field size");
    if (size < 0 || size > buffer.remaining()) {
      throw malformed(
          owner,
          "has tag %d of %s bytes, %d are left"
              .formatted(tag, Integer.toUnsignedString(size), buffer.remaining()));
    }
    int outerLimit = buffer.limit();
    buffer.limit(buffer.position() + size);
    return outerLimit;
  }

  /** Ends the value of a tagged field, which must have been read to its end. */
  public void leaveTag(int outerLimit, int tag, String owner) {
    if (buffer.hasRemaining()) {
      throw malformed(owner, "has tag " + tag + " with " + buffer.remaining() + " bytes too many");
    }
    buffer.limit(outerLimit);
  }

  /** Skips to the end of what this reader is narrowed to. */
  public void skipRest() {
    buffer.position(buffer.limit());
  }

  /** Skips tagged fields none of which is known here. */
  public void skipTags() {
    for (int tags = readTagCount(); tags > 0; tags--) {
      int tag = readTag();
      int outerLimit = enterTag(tag, "a struct");
      skipRest();
      leaveTag(outerLimit, tag, "a struct");
    }
  }

  private int bytesLength(boolean flexible, String field) {
    int length = flexible ? compactLength(field) : readInt32(field);
    if (length != NULL) {
      checkLength(length, field);
    }
    return length;
  }

  /** The length in front of a compact value; -1 for null, other negative ones are too large. */
  private int compactLength(String field) {
    int plusOne = readUnsignedVarint(field);
    if (plusOne < 0) {
      throw malformed(field, "has a length of " + (Integer.toUnsignedLong(plusOne) - 1));
    }
    return plusOne - 1;
  }

  private void checkLength(int length, String field) {
    if (length < 0 || length > buffer.remaining()) {
      throw malformed(
          field, "has a length of " + length + ", " + buffer.remaining() + " bytes are left");
    }
  }

  private String text(int length, String field) {
    int start = buffer.position();
    if (buffer.hasArray()) {
      byte[] array = buffer.array();
      int from = buffer.arrayOffset() + start;
      if (isAscii(array, from, from + length)) {
        buffer.position(start + length);
        return new String(array, from, length, ISO_8859_1);
      }
    }
    return decoded(length, field);
  }

  private static boolean isAscii(byte[] array, int from, int to) {
    for (int i = from; i < to; i++) {
      if (array[i] < 0) {
        return false;
      }
    }
    return true;
  }

  private String decoded(int length, String field) {
    if (decoder == null) {
      decoder =
          UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT);
    }
    CharBuffer chars = CharBuffer.allocate(length);
    CoderResult result =
        decoder.reset().decode(buffer.slice(buffer.position(), length), chars, true);
    if (result.isError()) {
      throw malformed(field, "is not UTF-8");
    }
    buffer.position(buffer.position() + length);
    return chars.flip().toString();
  }

  private void claim(long sizeBytes, String field) {
    if (sizeBytes > claimedBytes) {
      long wantedBytes = Math.max(CLAIM_BYTES, sizeBytes - claimedBytes);
      if (!claims.test(wantedBytes)) {
        throw malformed(
            field, "needs more memory than requests may hold (queued.max.request.bytes)");
      }
      claimedBytes += wantedBytes;
    }
    claimedBytes -= sizeBytes;
  }

  private void need(int bytes, String field) {
    if (buffer.remaining() < bytes) {
      throw malformed(field, "needs " + bytes + " bytes, " + buffer.remaining() + " are left");
    }
  }

  private WireException malformed(String field, String what) {
    return new WireException(field + " " + what + " (at position " + buffer.position() + ")");
  }
}
