package io.fencepost.streams.task;

/**
 * The partition that Kafka's producer gives a record with a key: murmur2 of the key's bytes,
 * without its sign, modulo the number of partitions.
 */
public final class DefaultPartitioning {
  private static final int SEED = 0x9747b28c;
  private static final int MULTIPLIER = 0x5bd1e995;

  private DefaultPartitioning() {}

  public static int partition(byte[] key, int partitionCount) {
    return (murmur2(key) & Integer.MAX_VALUE) % partitionCount;
  }

  static int murmur2(byte[] bytes) {
    int hash = SEED ^ bytes.length;
    int whole = bytes.length & ~3;
    for (int i = 0; i < whole; i += 4) {
      int word = littleEndian(bytes, i, 4) * MULTIPLIER;
      hash = hash * MULTIPLIER ^ (word ^ word >>> 24) * MULTIPLIER;
    }
    if (whole < bytes.length) {
      hash = (hash ^ littleEndian(bytes, whole, bytes.length - whole)) * MULTIPLIER;
    }
    hash = (hash ^ hash >>> 13) * MULTIPLIER;
    return hash ^ hash >>> 15;
  }

  private static int littleEndian(byte[] bytes, int from, int count) {
    int word = 0;
    for (int i = count - 1; i >= 0; i--) {
      word = word << 8 | (bytes[from + i] & 0xff);
    }
    return word;
  }
}
