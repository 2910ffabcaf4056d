package io.fencepost.streams.operators;

import java.nio.ByteBuffer;

/** Times as 8 bytes whose unsigned order is that of the times: the sign bit is inverted. */
final class OrderedTime {
  private OrderedTime() {}

  static long bits(long timeMs) {
    return timeMs ^ Long.MIN_VALUE;
  }

  static long of(long bits) {
    return bits ^ Long.MIN_VALUE;
  }

  static byte[] bytes(long timeMs) {
    return ByteBuffer.allocate(8).putLong(bits(timeMs)).array();
  }

  static long read(byte[] bytes, int at) {
    return of(ByteBuffer.wrap(bytes).getLong(at));
  }
}
