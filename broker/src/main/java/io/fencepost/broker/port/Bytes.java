package io.fencepost.broker.port;

import java.nio.ByteBuffer;

/**
 * A run of bytes that somebody else owns: a slice of memory or a region of a file. Shells that know
 * the concrete type may move it without copying (file to socket).
 */
public interface Bytes {
  /** No bytes. */
  Bytes EMPTY = of(ByteBuffer.allocate(0));

  int sizeBytes();

  /** The bytes in memory, from position to limit; reads them from the file if need be. */
  ByteBuffer toBuffer();

  /** The bytes between the buffer's position and limit; the buffer's own marks are left alone. */
  static Bytes of(ByteBuffer buffer) {
    return new InMemory(buffer.slice());
  }

  /** Bytes that are already in memory. */
  record InMemory(ByteBuffer buffer) implements Bytes {
    @Override
    public int sizeBytes() {
      return buffer.remaining();
    }

    @Override
    public ByteBuffer toBuffer() {
      return buffer.duplicate();
    }
  }
}
