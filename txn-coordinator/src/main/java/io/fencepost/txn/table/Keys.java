package io.fencepost.txn.table;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Row keys are put together and taken apart here. */
public final class Keys {
  private Keys() {}

  /** The parts, one after the other. */
  public static byte[] join(byte[] first, byte[] second) {
    byte[] joined = new byte[first.length + second.length];
    System.arraycopy(first, 0, joined, 0, first.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }

  public static byte[] of(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Eight bytes, big endian: ordered like the number when it is not negative. */
  public static byte[] of(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** Four bytes, big endian: ordered like the number when it is not negative. */
  public static byte[] of(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  public static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }

  public static boolean beginsWith(byte[] key, byte[] prefix) {
    if (key.length < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (key[i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
