package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A growing output for compressors. */
final class Packed {
  private byte[] bytes;
  private int size;

  Packed(int expectedBytes) {
    this.bytes = new byte[Math.max(64, expectedBytes)];
  }

  int size() {
    return size;
  }

  byte[] array() {
    return bytes;
  }

  /** Makes room for this many more bytes behind the size. */
  void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
    }
  }

  /** Counts bytes that were written into the array behind the size. */
  void written(int count) {
    size += count;
  }

  void put(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  void put(byte[] from, int at, int count) {
    reserve(count);
    System.arraycopy(from, at, bytes, size, count);
    size += count;
  }

  void putLittleEndian(int value, int count) {
    for (int i = 0; i < count; i++) {
      put(value >>> (8 * i));
    }
  }

  void putBigEndian(int value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      put(value >>> shift);
    }
  }

  /** Overwrites an int that stands in the output. */
  void setInt(int at, int value, boolean littleEndian) {
    for (int i = 0; i < 4; i++) {
      bytes[at + i] = (byte) (value >>> (littleEndian ? 8 * i : 24 - 8 * i));
    }
  }

  /** Forgets what stands behind this size. */
  void cut(int newSize) {
    size = newSize;
  }

  ByteBuffer toBuffer() {
    return ByteBuffer.wrap(bytes, 0, size).slice();
  }

  /** The remaining bytes as an array of their own. */
  static byte[] bytesOf(ByteBuffer plain) {
    byte[] bytes = new byte[plain.remaining()];
    plain.duplicate().get(bytes);
    return bytes;
  }
}
