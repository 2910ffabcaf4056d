package io.fencepost.streams;

import java.nio.ByteBuffer;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** The format of {@link Windowed#serde}. */
final class WindowedSerde<K> implements Serde<Windowed<K>> {
  private static final int BOUNDS_BYTES = 16;

  private final Serde<K> keySerde;

  WindowedSerde(Serde<K> keySerde) {
    this.keySerde = keySerde;
  }

  @Override
  public Serializer<Windowed<K>> serializer() {
    return new Writer();
  }

  @Override
  public Deserializer<Windowed<K>> deserializer() {
    return new Reader();
  }

  @Override
  public void close() {
    keySerde.close();
  }

  private static byte @Nullable [] write(@Nullable Windowed<?> windowed, byte @Nullable [] key) {
    if (windowed == null) {
      return null;
    }
    if (key == null) {
      throw new IllegalArgumentException("a windowed key must hold a key");
    }
    return ByteBuffer.allocate(BOUNDS_BYTES + key.length)
        .putLong(windowed.endMs() ^ Long.MIN_VALUE)
        .putLong(windowed.startMs() ^ Long.MIN_VALUE)
        .put(key)
        .array();
  }

  private final class Writer implements Serializer<Windowed<K>> {
    @Override
    public byte @Nullable [] serialize(String topic, @Nullable Windowed<K> windowed) {
      return write(
          windowed,
          windowed == null ? null : keySerde.serializer().serialize(topic, windowed.key()));
    }

    @Override
    public byte @Nullable [] serialize(
        String topic, Headers headers, @Nullable Windowed<K> windowed) {
      return write(
          windowed,
          windowed == null
              ? null
              : keySerde.serializer().serialize(topic, headers, windowed.key()));
    }
  }

  private final class Reader implements Deserializer<Windowed<K>> {
    @Override
    public @Nullable Windowed<K> deserialize(String topic, byte @Nullable [] bytes) {
      return bytes == null
          ? null
          : read(bytes, keySerde.deserializer().deserialize(topic, key(bytes)));
    }

    @Override
    public @Nullable Windowed<K> deserialize(
        String topic, Headers headers, byte @Nullable [] bytes) {
      return bytes == null
          ? null
          : read(bytes, keySerde.deserializer().deserialize(topic, headers, key(bytes)));
    }

    private byte[] key(byte[] bytes) {
      if (bytes.length < BOUNDS_BYTES) {
        throw new IllegalArgumentException(
            "a windowed key takes " + BOUNDS_BYTES + " bytes or more, not " + bytes.length);
      }
      byte[] key = new byte[bytes.length - BOUNDS_BYTES];
      System.arraycopy(bytes, BOUNDS_BYTES, key, 0, key.length);
      return key;
    }

    private Windowed<K> read(byte[] bytes, K key) {
      ByteBuffer bounds = ByteBuffer.wrap(bytes);
      long endMs = bounds.getLong() ^ Long.MIN_VALUE;
      long startMs = bounds.getLong() ^ Long.MIN_VALUE;
      return new Windowed<>(key, startMs, endMs);
    }
  }
}
