package io.fencepost.streams.task;

import java.util.Arrays;

/** Key bytes as a map's key, in unsigned byte order; the bytes must not change. */
final class ByteKey implements Comparable<ByteKey> {
  final byte[] bytes;
  private final int hash;

  ByteKey(byte[] bytes) {
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByteKey key && hash == key.hash && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public int compareTo(ByteKey other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }
}
