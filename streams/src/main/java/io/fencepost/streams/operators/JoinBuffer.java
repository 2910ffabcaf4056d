package io.fencepost.streams.operators;

import io.fencepost.streams.Store;
import io.fencepost.streams.operators.Sided.Side;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of both flows that wait for partners, in one ordered table:
 *
 * <pre>
 * 0                                               -> number of the next message
 * 1 (left) or 2 (right), key, timestamp, number   -> 0, or 1 and the value's bytes
 * </pre>
 *
 * The key has its length (4 bytes) before it, timestamps have their sign flipped to sort as
 * numbers, and the number (8 bytes) tells messages of equal key and time apart.
 */
final class JoinBuffer {
  private static final byte[] NUMBER_KEY = {0};

  private final Store<byte[], byte[]> store;

  JoinBuffer(Store<byte[], byte[]> store) {
    this.store = store;
  }

  /** A number that no other message in the table has. */
  long nextNumber() {
    byte[] stored = store.get(NUMBER_KEY);
    long number = stored == null ? 0 : ByteBuffer.wrap(stored).getLong();
    store.put(NUMBER_KEY, ByteBuffer.allocate(Long.BYTES).putLong(number + 1).array());
    return number;
  }

  void put(Waiting message, byte[] key, byte @Nullable [] value) {
    int size = value == null ? 0 : value.length;
    ByteBuffer stored = ByteBuffer.allocate(1 + size).put((byte) (value == null ? 0 : 1));
    if (value != null) {
      stored.put(value);
    }
    store.put(entry(message, key), stored.array());
  }

  void delete(Waiting message, byte[] key) {
    store.delete(entry(message, key));
  }

  /** Whether it still waits, and its value. */
  @Nullable Found find(Waiting message, byte[] key) {
    byte[] stored = store.get(entry(message, key));
    return stored == null ? null : new Found(value(stored));
  }

  /** What was found. */
  record Found(byte @Nullable [] value) {}

  /** Shows those of one key with {@code fromMs <= timestamp <= toMs}, oldest first. */
  void forEach(Side side, byte[] key, long fromMs, long toMs, BiConsumer<Waiting, Found> visitor) {
    byte[] from = entry(new Waiting(side, fromMs, 0), key);
    byte[] to = entry(new Waiting(side, toMs, Long.MAX_VALUE), key);
    store.forEach(
        from,
        to,
        (entry, stored) -> {
          ByteBuffer tail = ByteBuffer.wrap(entry, 5 + key.length, 2 * Long.BYTES);
          Waiting message = new Waiting(side, OrderedTime.of(tail.getLong()), tail.getLong());
          visitor.accept(message, new Found(value(stored)));
          return true;
        });
  }

  private static byte @Nullable [] value(byte[] stored) {
    if (stored[0] == 0) {
      return null;
    }
    byte[] value = new byte[stored.length - 1];
    System.arraycopy(stored, 1, value, 0, value.length);
    return value;
  }

  private static byte[] entry(Waiting message, byte[] key) {
    return ByteBuffer.allocate(5 + key.length + 2 * Long.BYTES)
        .put(message.side().code)
        .putInt(key.length)
        .put(key)
        .putLong(OrderedTime.bits(message.timestampMs()))
        .putLong(message.number())
        .array();
  }
}
