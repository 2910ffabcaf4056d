package io.fencepost.streams.test;

import org.jspecify.annotations.Nullable;

/** Which partition a producer with default settings chooses: murmur2 of the key's bytes. */
final class KeyPartitions {
  private static final int SEED = 0x9747b28c;
  private static final int MULTIPLIER = 0x5bd1e995;

  private KeyPartitions() {}

  /** Without a key, turn by turn. */
  static int partition(byte @Nullable [] key, int partitions, long turn) {
    return key == null ? (int) (turn % partitions) : (murmur2(key) & 0x7fffffff) % partitions;
  }

  static int murmur2(byte[] bytes) {
    int hash = SEED ^ bytes.length;
    int words = bytes.length / 4;
    for (int i = 0; i < words; i++) {
      int word = 0;
      for (int b = 3; b >= 0; b--) {
        word = (word << 8) | (bytes[4 * i + b] & 0xff);
      }
      word *= MULTIPLIER;
      word ^= word >>> 24;
      word *= MULTIPLIER;
      hash = (hash * MULTIPLIER) ^ word;
    }
    int rest = bytes.length - 4 * words;
    for (int b = rest - 1; b >= 0; b--) {
      hash ^= (bytes[4 * words + b] & 0xff) << (8 * b);
    }
    if (rest > 0) {
      hash *= MULTIPLIER;
    }
    hash ^= hash >>> 13;
    hash *= MULTIPLIER;
    return hash ^ (hash >>> 15);
  }
}
