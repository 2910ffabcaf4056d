package io.fencepost.broker.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory that half-read and unanswered requests may hold together; it is never exceeded. Frames
 * take it as their bytes arrive, and what they are decoded to is claimed from it too.
 *
 * <p>A connection that needs more waits, which stops reading it. So that half-read frames cannot
 * wait for each other for ever, bytes are given only if afterwards some order is left in which all
 * that hold something can get the rest of their frames one after the other (the banker's rule).
 * Between frames a connection may keep its buffer as long as nobody else needs the memory. Beside
 * it, small frames have buffers of their connections, which together may hold as much again.
 * Thread-safe.
 */
final class MemoryGate {
  private static final long CHECK_INTERVAL_MS = 250;

  private final long capBytes;

  /** Those that hold something; guarded by this. */
  private final List<Share> holders = new ArrayList<>();

  /** Those that keep a buffer for their next frame, longest first; guarded by this. */
  private final Set<Share> keepers = new LinkedHashSet<>();

  private long usedBytes;
  private long ownBytes;
  private long keptBytes;
  private int waiting;

  MemoryGate(long capBytes) {
    this.capBytes = capBytes;
  }

  long capBytes() {
    return capBytes;
  }

  Share open() {
    return new Share();
  }

  /** Whether somebody waits for memory. */
  synchronized boolean isAwaited() {
    return waiting > 0;
  }

  /** What requests hold. Buffers that are kept for later are not among it: they go on demand. */
  synchronized long usedBytes() {
    return usedBytes;
  }

  synchronized long keptBytes() {
    return keptBytes;
  }

  private boolean fits(Share share, long sizeBytes) {
    if (usedBytes + sizeBytes > capBytes) {
      return false;
    }
    share.move(sizeBytes);
    boolean isSafe = isSafe();
    share.move(-sizeBytes);
    return isSafe;
  }

  private void makeRoom(long sizeBytes) {
    while (usedBytes + keptBytes + sizeBytes > capBytes) {
      keepers.iterator().next().drop();
    }
  }

  private boolean isSafe() {
    long freeBytes = capBytes - usedBytes;
    long missingBytes = 0;
    for (Share holder : holders) {
      missingBytes += holder.missingBytes();
    }
    if (missingBytes <= freeBytes) {
      return true;
    }
    List<Share> order = new ArrayList<>(holders);
    order.sort(Comparator.comparingLong(Share::missingBytes));
    for (Share next : order) {
      if (next.missingBytes() > freeBytes) {
        return false;
      }
      freeBytes += next.heldBytes;
    }
    return true;
  }

  /** What one connection holds of the gate's memory. Guarded by the gate. */
  final class Share {
    private long ownBytes;
    private long heldBytes;
    private long claimedBytes;
    private long frameBytes;
    private @Nullable ByteBuffer kept;
    private boolean isWaiting;
    private boolean isClosed;

    private Share() {}

    /**
     * Lets the connection's own buffer grow; false if those of all connections are as large
     * together as requests may be.
     */
    boolean growOwn(long moreBytes) {
      synchronized (MemoryGate.this) {
        if (isClosed || MemoryGate.this.ownBytes + moreBytes > capBytes) {
          return false;
        }
        MemoryGate.this.ownBytes += moreBytes;
        ownBytes += moreBytes;
        return true;
      }
    }

    /**
     * A frame begins that needs so many bytes.
     *
     * @return the buffer that was kept, which counts as taken; null if there is none
     */
    @Nullable ByteBuffer begin(long sizeBytes) {
      synchronized (MemoryGate.this) {
        frameBytes = sizeBytes;
        ByteBuffer mine = kept;
        if (mine == null) {
          return null;
        }
        drop();
        move(mine.capacity());
        if (isSafe()) {
          return mine;
        }
        move(-mine.capacity());
        return null;
      }
    }

    /** Gives the buffer of an answered frame back, but keeps it for the next as long as it can. */
    void keep(ByteBuffer buffer) {
      synchronized (MemoryGate.this) {
        give(buffer.capacity());
        if (usedBytes + keptBytes + buffer.capacity() <= capBytes) {
          kept = buffer;
          keptBytes += buffer.capacity();
          keepers.add(this);
        }
      }
    }

    /** Forgets the buffer that was kept. */
    void drop() {
      synchronized (MemoryGate.this) {
        if (kept != null) {
          keptBytes -= kept.capacity();
          kept = null;
          keepers.remove(this);
        }
      }
    }

    /** The frame is complete: no more will be taken for it. */
    void complete() {
      synchronized (MemoryGate.this) {
        frameBytes = 0;
        MemoryGate.this.notifyAll();
      }
    }

    /**
     * Takes bytes for the announced frame, or waits for them.
     *
     * @param isWanted false once waiting has become pointless
     * @throws IOException if it became pointless, or the thread is interrupted
     */
    void take(long sizeBytes, BooleanSupplier isWanted) throws IOException {
      synchronized (MemoryGate.this) {
        while (!fits(this, sizeBytes)) {
          if (!isWanted.getAsBoolean()) {
            throw new IOException("closed while it waited for memory");
          }
          await();
        }
        makeRoom(sizeBytes);
        move(sizeBytes);
      }
    }

    private void await() throws IOException {
      isWaiting = true;
      waiting++;
      try {
        MemoryGate.this.wait(CHECK_INTERVAL_MS);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for memory", stopped);
      } finally {
        isWaiting = false;
        waiting--;
      }
    }

    /** Gives bytes back that were taken. */
    void give(long sizeBytes) {
      synchronized (MemoryGate.this) {
        move(-sizeBytes);
        MemoryGate.this.notifyAll();
      }
    }

    /** Takes bytes for a request in process, without waiting; false if there are none. */
    boolean claim(long sizeBytes) {
      synchronized (MemoryGate.this) {
        if (isClosed || !fits(this, sizeBytes)) {
          return false;
        }
        makeRoom(sizeBytes);
        move(sizeBytes);
        claimedBytes += sizeBytes;
        return true;
      }
    }

    /** The request is answered: what was claimed for it is free. */
    void releaseClaims() {
      synchronized (MemoryGate.this) {
        if (claimedBytes > 0) {
          give(claimedBytes);
          claimedBytes = 0;
        }
      }
    }

    /** Gives everything back; nothing is given out after this. */
    void close() {
      synchronized (MemoryGate.this) {
        isClosed = true;
        frameBytes = 0;
        claimedBytes = 0;
        drop();
        MemoryGate.this.ownBytes -= ownBytes;
        ownBytes = 0;
        give(heldBytes);
      }
    }

    /** Whether it is the gate that keeps this frame from going on. */
    boolean isWaiting() {
      synchronized (MemoryGate.this) {
        return isWaiting;
      }
    }

    /** Whether closing this connection would help those who wait. */
    boolean holdsMemory() {
      synchronized (MemoryGate.this) {
        return heldBytes > 0;
      }
    }

    private long missingBytes() {
      return Math.max(0, frameBytes - (heldBytes - claimedBytes));
    }

    private void move(long sizeBytes) {
      boolean held = heldBytes > 0;
      heldBytes += sizeBytes;
      usedBytes += sizeBytes;
      if (held != heldBytes > 0) {
        if (held) {
          holders.remove(this);
        } else {
          holders.add(this);
        }
      }
    }
  }
}
