package io.fencepost.broker.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames of one connection into one direct buffer that grows with the bytes that arrive, not
 * with the length that was announced, and is used again for the next frame. What it holds above its
 * smallest size is taken from the {@link MemoryGate}. Used by the connection's thread only.
 */
final class ReceiveBuffer {
  private static final int SMALLEST_BYTES = 16 * 1024;
  private static final int KEPT_BYTES = 1024 * 1024;
  private static final int SMALL_FRAMES_BEFORE_SHRINK = 64;

  private final MemoryGate gate;
  private final int maxFrameBytes;
  private final ByteBuffer length = ByteBuffer.allocateDirect(4);
  private ByteBuffer buffer = ByteBuffer.allocateDirect(SMALLEST_BYTES);
  private int smallFrames;

  ReceiveBuffer(MemoryGate gate, int maxFrameBytes) {
    this.gate = gate;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Why a frame of the length last read is refused, or null. */
  static final class BadLength extends IOException {
    private static final long serialVersionUID = 1L;

    BadLength(String message) {
      super(message);
    }
  }

  /**
   * The next frame, valid until the next call; null if the peer ended the connection between
   * frames.
   *
   * @param begun called when the first byte of a frame is in
   */
  @Nullable ByteBuffer next(ReadableByteChannel channel, Runnable begun) throws IOException {
    length.clear();
    while (length.hasRemaining()) {
      if (channel.read(length) < 0) {
        if (length.position() == 0) {
          return null;
        }
        throw new EOFException("the peer left in the middle of a length");
      }
      begun.run();
    }
    int sizeBytes = length.getInt(0);
    if (sizeBytes < 0 || sizeBytes > maxFrameBytes) {
      throw new BadLength(
          "a frame of "
              + sizeBytes
              + " bytes is announced, at most "
              + maxFrameBytes
              + " are allowed (socket.request.max.bytes)");
    }
    buffer.clear();
    while (buffer.position() < sizeBytes) {
      if (!buffer.hasRemaining()) {
        grow(sizeBytes, channel::isOpen);
      }
      buffer.limit(Math.min(buffer.capacity(), sizeBytes));
      if (channel.read(buffer) < 0) {
        throw new EOFException(
            "the peer left after " + buffer.position() + " of " + sizeBytes + " bytes");
      }
    }
    return buffer.flip();
  }

  private void grow(int frameBytes, BooleanSupplier isOpen) throws IOException {
    int wanted = (int) Math.min(frameBytes, 2L * buffer.capacity());
    gate.take(this, wanted - buffer.capacity(), isOpen);
    buffer = ByteBuffer.allocateDirect(wanted).put(buffer.flip());
  }

  /** The frame is answered: keep the buffer if it is likely to be needed again soon. */
  void onAnswered() {
    smallFrames = buffer.limit() > buffer.capacity() / 4 ? 0 : smallFrames + 1;
    if (buffer.capacity() > SMALLEST_BYTES
        && (buffer.capacity() > KEPT_BYTES
            || smallFrames > SMALL_FRAMES_BEFORE_SHRINK
            || gate.isTight())) {
      release();
      buffer = ByteBuffer.allocateDirect(SMALLEST_BYTES);
    }
  }

  /** Gives the memory back; the buffer is not used any more. */
  void release() {
    if (buffer.capacity() > SMALLEST_BYTES) {
      gate.give(this, buffer.capacity() - SMALLEST_BYTES);
    }
    buffer = ByteBuffer.allocate(0);
  }
}
