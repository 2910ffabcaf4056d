package io.fencepost.streams;

import java.util.Objects;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * One record on its way through a job: key, value, event time, headers, and the input record that
 * it came from. Immutable but for its headers, which belong to the input record and are shared: add
 * to them only if every output of that input may carry the addition.
 *
 * @param <K> key type
 * @param <V> value type
 */
public final class Message<K, V> {
  private final @Nullable K key;
  private final @Nullable V value;
  private final long timestampMs;
  private final Headers headers;
  private final Origin origin;

  public Message(
      @Nullable K key, @Nullable V value, long timestampMs, Headers headers, Origin origin) {
    this.key = key;
    this.value = value;
    this.timestampMs = timestampMs;
    this.headers = headers;
    this.origin = origin;
  }

  /** The key; null if the record has none (as Kafka, where null is a legal key). */
  @SuppressWarnings(
      "NullAway") // Kafka's records may hold null; users of typed flows rarely want to check
  public K key() {
    return key;
  }

  /** The value; null for a tombstone. */
  @SuppressWarnings("NullAway") // as key()
  public V value() {
    return value;
  }

  public long timestampMs() {
    return timestampMs;
  }

  public Headers headers() {
    return headers;
  }

  public Origin origin() {
    return origin;
  }

  public <K2> Message<K2, V> withKey(@Nullable K2 newKey) {
    return new Message<>(newKey, value, timestampMs, headers, origin);
  }

  public <V2> Message<K, V2> withValue(@Nullable V2 newValue) {
    return new Message<>(key, newValue, timestampMs, headers, origin);
  }

  public Message<K, V> withTimestampMs(long newTimestampMs) {
    return new Message<>(key, value, newTimestampMs, headers, origin);
  }

  public Message<K, V> withHeaders(Headers newHeaders) {
    return new Message<>(key, value, timestampMs, newHeaders, origin);
  }

  @Override
  public String toString() {
    return origin + " " + Objects.toString(key) + "=" + Objects.toString(value);
  }
}
