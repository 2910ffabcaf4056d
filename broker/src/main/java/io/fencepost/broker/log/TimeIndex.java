package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;

/**
 * Sparse map from time to offset. An entry (t, o) says: the greatest timestamp up to and including
 * the batch that ends at o is t, and that batch has it. Timestamps grow strictly. Twelve bytes, as
 * Kafka's {@code .timeindex}.
 */
final class TimeIndex {
  private static final int ENTRY_BYTES = 12;

  private final IndexFile entries;
  private final long baseOffset;

  TimeIndex(Disk disk, String path, long baseOffset) {
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
    return count() >= maxBytes / ENTRY_BYTES - 1;
  }

  /** Adds unless it would say nothing new. */
  void add(long timestamp, long lastOffset) {
    int count = count();
    if (timestamp >= 0 && (count == 0 || timestamp > timestamp(count - 1))) {
      entries.next().putLong(timestamp).putInt((int) (lastOffset - baseOffset));
    }
  }

  long timestamp(int index) {
    return entries.entry(index).getLong(0);
  }

  long offset(int index) {
    return baseOffset + (entries.entry(index).getInt(8) & 0xFFFFFFFFL);
  }

  /** The last entry below the time; -1 if there is none. */
  int lowerByTime(long timestamp) {
    int low = 0;
    int high = count() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (timestamp(middle) < timestamp) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Drops entries that speak of offsets at or above this one. */
  void truncateToOffset(long offset) {
    int count = count();
    while (count > 0 && offset(count - 1) >= offset) {
      count--;
    }
    entries.truncate(count);
  }

  boolean isSane() {
    if (!entries.isOnDisk() || entries.isRagged()) {
      return false;
    }
    int count = count();
    return count == 0
        || (timestamp(count - 1) >= 0
            && offset(count - 1) >= baseOffset
            && timestamp(0) <= timestamp(count - 1));
  }
}
