package io.fencepost.streams.task;

/** A long as eight bytes, big endian, as Kafka's LongSerializer writes it. */
final class Longs {
  private Longs() {}

  static byte[] write(long value) {
    byte[] bytes = new byte[8];
    for (int i = 7; i >= 0; i--) {
      bytes[i] = (byte) value;
      value >>>= 8;
    }
    return bytes;
  }

  static long read(byte[] bytes) {
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | (bytes[i] & 0xff);
    }
    return value;
  }
}
