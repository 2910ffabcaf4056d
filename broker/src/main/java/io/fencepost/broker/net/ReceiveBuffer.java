package io.fencepost.broker.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames of one connection into direct buffers that are used again for the next frame: a
 * small one of its own, and for larger frames one that is taken from the {@link MemoryGate} and
 * grows with the bytes that arrive, not with the length that was announced. Used by the
 * connection's thread only, but for {@link #hasPeerLeft}.
 */
final class ReceiveBuffer {
  /** So large a connection's own buffer may become: most requests fit. */
  static final int OWN_BYTES = 16 * 1024;

  /** A connection that never speaks costs no more. */
  private static final int SMALLEST_BYTES = 1024;

  private static final int KEPT_BYTES = 1024 * 1024;
  private static final int SMALL_FRAMES_BEFORE_DROP = 64;

  private final MemoryGate gate;
  private final MemoryGate.Share share;
  private final int maxFrameBytes;
  private final ByteBuffer length = ByteBuffer.allocateDirect(4);
  private ByteBuffer own = ByteBuffer.allocateDirect(SMALLEST_BYTES);

  /** Where the frame is: the own buffer or one that was taken. */
  private ByteBuffer buffer = own;

  private boolean isTaken;

  private int smallFrames;

  ReceiveBuffer(MemoryGate gate, int maxFrameBytes) {
    this.gate = gate;
    this.share = gate.open();
    this.maxFrameBytes = maxFrameBytes;
  }

  /** What this connection holds of the memory for requests. */
  MemoryGate.Share share() {
    return share;
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
   * @param onProgress called when bytes of a frame have come in
   */
  @Nullable ByteBuffer next(ReadableByteChannel channel, Runnable onProgress) throws IOException {
    if (length.position() > 0) {
      onProgress.run();
    }
    while (length.hasRemaining()) {
      if (channel.read(length) < 0) {
        if (length.position() == 0) {
          return null;
        }
        throw new EOFException("the peer left in the middle of a length");
      }
      onProgress.run();
    }
    int sizeBytes = length.getInt(0);
    length.clear();
    checkSize(sizeBytes);
    boolean isLarge = sizeBytes > own.capacity() && !growOwn(sizeBytes);
    ByteBuffer kept = isLarge ? share.begin(sizeBytes) : null;
    isTaken = kept != null;
    buffer = kept != null ? kept : own;
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
      onProgress.run();
    }
    if (isLarge) {
      share.complete();
    }
    return buffer.flip();
  }

  private void checkSize(int sizeBytes) throws BadLength {
    if (sizeBytes < 0 || sizeBytes > maxFrameBytes) {
      throw new BadLength(
          "a frame of "
              + sizeBytes
              + " bytes is announced, at most "
              + maxFrameBytes
              + " are allowed (socket.request.max.bytes)");
    }
    if (sizeBytes > Math.max(OWN_BYTES, gate.capBytes())) {
      throw new BadLength(
          "a frame of "
              + sizeBytes
              + " bytes is announced, all requests together may hold "
              + gate.capBytes()
              + " (queued.max.request.bytes, or a quarter of the heap)");
    }
  }

  /**
   * Whether the peer has ended the connection while its request is in process. Called by another
   * thread, while the connection's own waits for the answer.
   */
  boolean hasPeerLeft(SocketChannel channel) throws IOException {
    if (!length.hasRemaining()) {
      return false;
    }
    channel.configureBlocking(false);
    try {
      return channel.read(length) < 0;
    } finally {
      channel.configureBlocking(true);
    }
  }

  /** Makes the own buffer fit, between frames; false if it may not become so large. */
  private boolean growOwn(int wantedBytes) {
    if (wantedBytes > OWN_BYTES) {
      return false;
    }
    int grown = Math.min(OWN_BYTES, Integer.highestOneBit(wantedBytes - 1) << 1);
    if (!share.growOwn(grown - own.capacity())) {
      return false;
    }
    own = ByteBuffer.allocateDirect(grown);
    return true;
  }

  /**
   * Memory in which to send so many bytes piece by piece, once the frame is no longer needed: the
   * JDK would keep memory of its own for each thread that writes from the heap.
   */
  ByteBuffer forSending(long sizeBytes) {
    if (sizeBytes > own.capacity()) {
      growOwn((int) Math.min(sizeBytes, OWN_BYTES));
    }
    return own.clear();
  }

  private void grow(int frameBytes, BooleanSupplier isOpen) throws IOException {
    int wanted = (int) Math.min(frameBytes, 2L * buffer.capacity());
    share.take(isTaken ? wanted - buffer.capacity() : wanted, isOpen);
    isTaken = true;
    buffer = ByteBuffer.allocateDirect(wanted).put(buffer.flip());
  }

  /** The frame is answered: keep its buffer if it is likely to be needed again soon. */
  void onAnswered() {
    if (!isTaken) {
      if (++smallFrames == SMALL_FRAMES_BEFORE_DROP) {
        share.drop();
      }
      return;
    }
    smallFrames = 0;
    if (buffer.capacity() <= KEPT_BYTES) {
      share.keep(buffer);
    } else {
      share.give(buffer.capacity());
    }
    isTaken = false;
    buffer = own;
  }

  /** Gives all memory back; nothing is read after this. */
  void release() {
    share.close();
    own = ByteBuffer.allocate(0);
    buffer = own;
  }
}
