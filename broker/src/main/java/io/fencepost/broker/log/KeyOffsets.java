package io.fencepost.broker.log;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Key → newest offset, in bounded memory: 128 bits of the key's SHA-256 and the offset, 24 bytes a
 * key, whatever the keys' length. Two keys of equal hash would be taken for one; nobody can make
 * such keys on purpose. Grows by doubling up to its bound. Reused from run to run; not thread-safe.
 */
public final class KeyOffsets {
  private static final int LONGS_PER_SLOT = 3;
  private static final int SLOT_BYTES = LONGS_PER_SLOT * Long.BYTES;
  private static final int FIRST_SLOTS = 1024;
  private static final int MIN_SLOTS = 16;

  private final int maxSlots;
  private final MessageDigest digest;

  /** Hash, hash, offset + 1; 0 in a free slot. */
  private long[] slots = {};

  private int slotCount;
  private int size;
  private long high;
  private long low;

  /**
   * @param maxBytes of memory
   */
  public KeyOffsets(long maxBytes) {
    this.maxSlots =
        (int) Math.max(MIN_SLOTS, Math.min(maxBytes / SLOT_BYTES, (Integer.MAX_VALUE - 8) / 3));
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException never) {
      throw new IllegalStateException("every Java has SHA-256", never);
    }
    clear();
  }

  /** Forgets all, and gives the memory back. */
  void clear() {
    slotCount = Math.min(FIRST_SLOTS, maxSlots);
    slots = new long[slotCount * LONGS_PER_SLOT];
    size = 0;
  }

  int size() {
    return size;
  }

  /** False if there is no room for another key. */
  boolean put(ByteBuffer key, long offset) {
    hash(key);
    int at = find(high, low);
    if (slots[at + 2] == 0) {
      if (isFull() && !grow()) {
        return false;
      }
      at = find(high, low);
      size++;
      slots[at] = high;
      slots[at + 1] = low;
    }
    slots[at + 2] = offset + 1;
    return true;
  }

  /** -1 if the key is unknown. */
  long get(ByteBuffer key) {
    hash(key);
    return slots[find(high, low) + 2] - 1;
  }

  private boolean isFull() {
    return size + 1 > slotCount - slotCount / 8;
  }

  private boolean grow() {
    if (slotCount == maxSlots) {
      return false;
    }
    long[] old = slots;
    slotCount = (int) Math.min(2L * slotCount, maxSlots);
    slots = new long[slotCount * LONGS_PER_SLOT];
    for (int from = 0; from < old.length; from += LONGS_PER_SLOT) {
      if (old[from + 2] != 0) {
        System.arraycopy(old, from, slots, find(old[from], old[from + 1]), LONGS_PER_SLOT);
      }
    }
    return true;
  }

  private int find(long wantedHigh, long wantedLow) {
    int slot = (int) Long.remainderUnsigned(wantedHigh, slotCount);
    while (true) {
      int at = slot * LONGS_PER_SLOT;
      if (slots[at + 2] == 0 || (slots[at] == wantedHigh && slots[at + 1] == wantedLow)) {
        return at;
      }
      slot = slot + 1 == slotCount ? 0 : slot + 1;
    }
  }

  private void hash(ByteBuffer key) {
    digest.update(key.duplicate());
    ByteBuffer hash = ByteBuffer.wrap(digest.digest());
    high = hash.getLong();
    low = hash.getLong();
  }
}
