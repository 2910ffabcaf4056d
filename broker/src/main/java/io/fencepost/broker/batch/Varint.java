package io.fencepost.broker.batch;

import java.nio.ByteBuffer;

/** Zigzag variable-length integers, as in records. */
final class Varint {
  private Varint() {}

  /** Throws {@link MalformedBatchException} if the bytes end or go on for too long. */
  static int readInt(ByteBuffer in) {
    long raw = readRaw(in, 5);
    if (raw >>> 32 != 0) {
      throw new MalformedBatchException("a varint at byte " + in.position() + " exceeds 32 bits");
    }
    int value = (int) raw;
    return (value >>> 1) ^ -(value & 1);
  }

  static long readLong(ByteBuffer in) {
    long raw = readRaw(in, 10);
    return (raw >>> 1) ^ -(raw & 1);
  }

  private static long readRaw(ByteBuffer in, int maxBytes) {
    long value = 0;
    for (int i = 0; i < maxBytes; i++) {
      if (!in.hasRemaining()) {
        throw new MalformedBatchException("the bytes end inside a varint");
      }
      byte next = in.get();
      value |= (long) (next & 0x7F) << (7 * i);
      if (next >= 0) {
        return value;
      }
    }
    throw new MalformedBatchException(
        "a varint at byte " + in.position() + " has more than " + maxBytes + " bytes");
  }

  static int size(long value) {
    long raw = (value << 1) ^ (value >> 63);
    return 1 + (63 - Long.numberOfLeadingZeros(raw | 1)) / 7;
  }

  static void write(ByteBuffer out, long value) {
    long raw = (value << 1) ^ (value >> 63);
    while ((raw & ~0x7FL) != 0) {
      out.put((byte) (raw | 0x80));
      raw >>>= 7;
    }
    out.put((byte) raw);
  }
}
