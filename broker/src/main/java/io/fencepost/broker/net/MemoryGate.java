package io.fencepost.broker.net;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * The memory that half-read and unanswered requests may hold together. A connection that needs more
 * waits here, which stops reading it. So that waiting ones cannot block each other for ever, one
 * connection at a time may go over the cap to finish its frame: at most the cap and one largest
 * frame are held. Thread-safe.
 */
final class MemoryGate {
  private static final long CHECK_INTERVAL_MS = 250;

  private final long capBytes;
  private long usedBytes;
  private Object overdrawn = this;

  MemoryGate(long capBytes) {
    this.capBytes = capBytes;
  }

  /**
   * Takes the bytes, or waits for them.
   *
   * @param holder who gives them back
   * @param isWanted false once waiting has become pointless
   * @throws IOException if it became pointless, or the thread is interrupted
   */
  synchronized void take(Object holder, long sizeBytes, BooleanSupplier isWanted)
      throws IOException {
    while (usedBytes + sizeBytes > capBytes && overdrawn != holder && overdrawn != this) {
      if (!isWanted.getAsBoolean()) {
        throw new IOException("closed while it waited for memory");
      }
      try {
        wait(CHECK_INTERVAL_MS);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for memory", stopped);
      }
    }
    if (usedBytes + sizeBytes > capBytes) {
      overdrawn = holder;
    }
    usedBytes += sizeBytes;
  }

  /** Gives bytes back; the holder has finished the frame that needed them. */
  synchronized void give(Object holder, long sizeBytes) {
    usedBytes -= sizeBytes;
    if (overdrawn == holder) {
      overdrawn = this;
    }
    notifyAll();
  }

  /** Whether buffers should not be kept for later. */
  synchronized boolean isTight() {
    return usedBytes > capBytes / 2;
  }

  synchronized long usedBytes() {
    return usedBytes;
  }
}
