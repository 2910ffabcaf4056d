package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The transactions whose abort marker lies in one segment, in the order of the markers: 34 bytes
 * each, as Kafka's {@code .txnindex}. Empty ones have no file. A look-up is a binary search by
 * marker and a walk over what overlaps.
 */
final class AbortedIndex {
  private static final int ENTRY_BYTES = 34;
  private static final short VERSION = 0;

  private final IndexFile entries;
  private long lowestFirstOffset = -1;

  AbortedIndex(Disk disk, String path) {
    this.entries = new IndexFile(disk, path, ENTRY_BYTES);
  }

  IndexFile file() {
    return entries;
  }

  int count() {
    return entries.count();
  }

  /** Adds unless this marker or a later one is in already. */
  void add(AbortedTxn txn) {
    int count = count();
    if (count > 0 && lastOffset(count - 1) >= txn.lastOffset()) {
      return;
    }
    if (count == 0 || lowestFirstOffset >= 0) {
      lowestFirstOffset =
          count == 0 ? txn.firstOffset() : Math.min(lowestFirstOffset, txn.firstOffset());
    }
    entries
        .next()
        .putShort(VERSION)
        .putLong(txn.producerId())
        .putLong(txn.firstOffset())
        .putLong(txn.lastOffset())
        .putLong(txn.lastStableOffset());
  }

  AbortedTxn at(int index) {
    ByteBuffer entry = entries.entry(index);
    return new AbortedTxn(
        entry.getLong(2), entry.getLong(10), entry.getLong(18), entry.getLong(26));
  }

  boolean hasKnownVersion(int index) {
    return entries.entry(index).getShort(0) == VERSION;
  }

  private long lastOffset(int index) {
    return entries.entry(index).getLong(18);
  }

  /**
   * Adds those that overlap [from, to) to the list; true if no later marker can overlap any more.
   */
  boolean collect(long fromOffset, long toOffsetExclusive, List<AbortedTxn> into) {
    int count = count();
    if (count == 0 || lowestFirstOffset() >= toOffsetExclusive) {
      // The last entry's stable offset is the furthest that this segment can vouch for.
      return count > 0 && at(count - 1).lastStableOffset() >= toOffsetExclusive;
    }
    for (int i = firstAtOrAbove(fromOffset); i < count; i++) {
      AbortedTxn txn = at(i);
      if (txn.firstOffset() < toOffsetExclusive) {
        into.add(txn);
      }
      if (txn.lastStableOffset() >= toOffsetExclusive) {
        return true;
      }
    }
    return false;
  }

  /** The first entry whose marker is at or above the offset. */
  int firstAtOrAbove(long offset) {
    int low = 0;
    int high = count() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (lastOffset(middle) < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Drops the markers at or above the offset. */
  void truncateToOffset(long offset) {
    entries.truncate(firstAtOrAbove(offset));
    lowestFirstOffset = -1;
  }

  void clear() {
    entries.truncate(0);
    lowestFirstOffset = -1;
  }

  /** Writes and creates the file only if there is something to write. */
  void flush() {
    if (count() > 0) {
      entries.flush();
    }
  }

  /** Whether every entry is well formed, in order and of this segment. */
  boolean isSane(long baseOffset, long endOffset) {
    if (entries.isRagged()) {
      return false;
    }
    long previous = baseOffset - 1;
    for (int i = 0; i < count(); i++) {
      if (!hasKnownVersion(i)) {
        return false;
      }
      AbortedTxn txn = at(i);
      if (txn.lastOffset() <= previous
          || txn.lastOffset() >= endOffset
          || txn.firstOffset() < 0
          || txn.firstOffset() > txn.lastOffset()
          || txn.lastStableOffset() > txn.lastOffset() + 1) {
        return false;
      }
      previous = txn.lastOffset();
    }
    return true;
  }

  private long lowestFirstOffset() {
    if (lowestFirstOffset < 0) {
      long lowest = Long.MAX_VALUE;
      for (int i = 0; i < count(); i++) {
        lowest = Math.min(lowest, at(i).firstOffset());
      }
      lowestFirstOffset = lowest;
    }
    return lowestFirstOffset;
  }
}
