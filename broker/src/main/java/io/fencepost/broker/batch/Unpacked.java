package io.fencepost.broker.batch;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A growing output for decompressors, with a cap. */
final class Unpacked {
  private final int maxBytes;
  private byte[] bytes;
  private int size;

  Unpacked(int expectedBytes, int maxBytes) {
    this.maxBytes = maxBytes;
    this.bytes = new byte[Math.max(64, Math.min(expectedBytes, maxBytes))];
  }

  int size() {
    return size;
  }

  /** Makes room for this many more bytes. */
  void reserve(int more) {
    long wanted = (long) size + more;
    if (more < 0 || wanted > maxBytes) {
      throw new MalformedBatchException(
          "a batch or a block of it unpacks to more than " + maxBytes + " bytes");
    }
    if (wanted > bytes.length) {
      long grown = Math.min(Math.max(wanted, bytes.length * 2L), maxBytes);
      bytes = Arrays.copyOf(bytes, (int) grown);
    }
  }

  /** Forgets all but the last bytes, to which later ones may refer. */
  void keepLast(int count) {
    int kept = Math.min(count, size);
    System.arraycopy(bytes, size - kept, bytes, 0, kept);
    size = kept;
  }

  /** What was written behind this size. */
  ByteBuffer since(int from) {
    return ByteBuffer.wrap(bytes, from, size - from);
  }

  void copyFrom(ByteBuffer in, int count) {
    if (count < 0 || count > in.remaining()) {
      throw new MalformedBatchException("compressed bytes end in the middle of a literal");
    }
    reserve(count);
    in.get(bytes, size, count);
    size += count;
  }

  /** Repeats bytes that were written before; the ranges may overlap. */
  void repeat(int distance, int count) {
    if (distance <= 0 || distance > size) {
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
