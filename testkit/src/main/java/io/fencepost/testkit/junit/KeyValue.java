package io.fencepost.testkit.junit;

import org.jspecify.annotations.Nullable;

/** A record as {@link ExactlyOnce} compares it: two are equal if their serialized bytes are. */
public record KeyValue<K, V>(@Nullable K key, @Nullable V value) {
  /** A record with a key. */
  public static <K, V> KeyValue<K, V> of(K key, V value) {
    return new KeyValue<>(key, value);
  }

  /** Only the value, if there is no key. */
  @Override
  public String toString() {
    return key == null ? String.valueOf(value) : key + "=" + value;
  }
}
