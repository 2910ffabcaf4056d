package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;

/**
 * Sparse map from offset to file position. An entry holds the last offset of a batch, relative to
 * the segment, and the position at which that batch begins: eight bytes, as Kafka's {@code .index}.
 */
final class OffsetIndex {
  private static final int ENTRY_BYTES = 8;

  private final IndexFile entries;
  private final long baseOffset;

  OffsetIndex(Disk disk, String path, long baseOffset) {
    this.entries = new IndexFile(disk, path, ENTRY_BYTES);
    this.baseOffset = baseOffset;
  }

  IndexFile file() {
    return entries;
  }

  int count() {
    return entries.count();
  }

  boolean isFull(int maxBytes) {
    return count() >= maxBytes / ENTRY_BYTES;
  }

  void add(long lastOffset, int position) {
    entries.next().putInt((int) (lastOffset - baseOffset)).putInt(position);
  }

  long offset(int index) {
    return baseOffset + (entries.entry(index).getInt(0) & 0xFFFFFFFFL);
  }

  int position(int index) {
    return entries.entry(index).getInt(4);
  }

  /** The last entry at or below the offset; -1 if there is none. */
  int floorByOffset(long offset) {
    int low = 0;
    int high = count() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (offset(middle) <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** The last entry whose batch begins at or before the position; -1 if there is none. */
  int floorByPosition(long position) {
    int low = 0;
    int high = count() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (position(middle) <= position) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Drops entries of batches that begin at or behind this position. */
  void truncateToPosition(long position) {
    entries.truncate(floorByPosition(position - 1) + 1);
  }

  /** A look at the ends only; each look-up checks the entry that it uses. */
  boolean isSane(long logBytes) {
    if (!entries.isOnDisk() || entries.isRagged()) {
      return false;
    }
    int count = count();
    return count == 0
        || (position(count - 1) >= 0
            && position(count - 1) < logBytes
            && offset(count - 1) >= baseOffset);
  }
}
