package io.fencepost.broker.batch;

import java.util.Arrays;

/**
 * Finds repetitions in a block of at most 64 KiB, greedily: what LZ4 and Snappy have in common.
 * Reused from block to block; not thread-safe.
 */
final class Repeats {
  static final int MAX_BLOCK_BYTES = 64 * 1024;
  private static final int HASH_BITS = 13;
  private static final int MIN_MATCH = 4;

  /** LZ4 forbids a match that begins in the last 12 bytes or reaches into the last 5. */
  private static final int LAST_START = 12;

  private static final int LAST_LITERALS = 5;

  private final int[] heads = new int[1 << HASH_BITS];

  /** Is told what a block consists of, in order. */
  interface Sink {
    /** Bytes as they are, then a repetition of bytes that many bytes back. */
    void sequence(int literalAt, int literalCount, int distance, int matchCount);

    /** The rest of the block, perhaps nothing. */
    void rest(int literalAt, int literalCount);
  }

  void find(byte[] bytes, int from, int count, Sink sink) {
    Arrays.fill(heads, -1);
    int end = from + count;
    int literalAt = from;
    int at = from;
    while (at < end - LAST_START) {
      int word = word(bytes, at);
      int slot = (word * 0x9E3779B1) >>> (32 - HASH_BITS);
      int candidate = heads[slot];
      heads[slot] = at;
      if (candidate < 0 || at - candidate >= MAX_BLOCK_BYTES || word(bytes, candidate) != word) {
        at++;
        continue;
      }
      int length = MIN_MATCH;
      while (at + length < end - LAST_LITERALS && bytes[candidate + length] == bytes[at + length]) {
        length++;
      }
      sink.sequence(literalAt, at - literalAt, at - candidate, length);
      at += length;
      literalAt = at;
    }
    sink.rest(literalAt, end - literalAt);
  }

  private static int word(byte[] bytes, int at) {
    return (bytes[at] & 0xFF)
        | (bytes[at + 1] & 0xFF) << 8
        | (bytes[at + 2] & 0xFF) << 16
        | bytes[at + 3] << 24;
  }
}
