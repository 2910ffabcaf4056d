package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A growing output for decompressors, with a cap. */
final class Unpacked {
  private byte[] bytes;
  private int size;

  Unpacked(int expectedBytes) {
    this.bytes = new byte[Math.max(64, Math.min(expectedBytes, Codec.MAX_UNPACKED_BYTES))];
  }

  /** The backing array; valid until the next reservation. */
  byte[] array() {
    return bytes;
  }

  int size() {
    return size;
  }

  /** Makes room for this many more bytes. */
  void reserve(int more) {
    long wanted = (long) size + more;
    if (more < 0 || wanted > Codec.MAX_UNPACKED_BYTES) {
      throw new MalformedBatchException(
          "a batch unpacks to more than " + Codec.MAX_UNPACKED_BYTES + " bytes");
    }
    if (wanted > bytes.length) {
      long grown = Math.min(Math.max(wanted, bytes.length * 2L), Codec.MAX_UNPACKED_BYTES);
      bytes = Arrays.copyOf(bytes, (int) grown);
    }
  }

  /** Counts bytes that were written into the array behind the size. */
  void written(int count) {
    size += count;
  }

  void copyFrom(ByteBuffer in, int count) {
    if (count < 0 || count > in.remaining()) {
      throw new MalformedBatchException("compressed bytes end in the middle of a literal");
    }
    reserve(count);
    in.get(bytes, size, count);
    size += count;
  }

  /** Repeats bytes that were written before; the ranges may overlap. Nothing before the floor. */
  void repeat(int distance, int count, int floor) {
    if (distance <= 0 || distance > size - floor) {
      throw new MalformedBatchException("compressed bytes refer back by " + distance + " bytes");
    }
    reserve(count);
    int from = size - distance;
    for (int i = 0; i < count; i++) {
      bytes[size + i] = bytes[from + i];
    }
    size += count;
  }

  ByteBuffer toBuffer() {
    return ByteBuffer.wrap(bytes, 0, size).slice();
  }
}
