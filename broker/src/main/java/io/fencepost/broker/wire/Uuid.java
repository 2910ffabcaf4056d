package io.fencepost.broker.wire;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Comparator;

/** A 128-bit id, of topics for one; shown as 22 characters of URL-safe base64, as Kafka does. */
public record Uuid(long high, long low) implements Comparable<Uuid> {
  /** Stands for: none. */
  public static final Uuid ZERO = new Uuid(0, 0);

  private static final int SIZE_BYTES = 16;
  private static final Comparator<Uuid> ORDER =
      Comparator.comparingLong(Uuid::high).thenComparingLong(Uuid::low);

  /** The reverse of {@link #toString}. */
  public static Uuid parse(String text) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("Not an id in URL-safe base64: " + text, e);
    }
    if (bytes.length != SIZE_BYTES) {
      throw new IllegalArgumentException(
          "An id has 16 bytes, " + text + " stands for " + bytes.length);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long high = buffer.getLong();
    return new Uuid(high, buffer.getLong());
  }

  @Override
  public int compareTo(Uuid other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    ByteBuffer buffer = ByteBuffer.allocate(SIZE_BYTES).putLong(high).putLong(low);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
  }
}
