package io.fencepost.streams.test;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A record of a topic as its reader sees it.
 *
 * @param key null if it has none
 * @param value null for a tombstone
 */
public record TestRecord<K, V>(
    String topic,
    int partition,
    long offset,
    @Nullable K key,
    @Nullable V value,
    long timestampMs,
    Headers headers) {
  /** The text of the last header of that name; null if there is none. */
  public @Nullable String header(String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null
        ? null
        : new String(header.value(), StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return topic + "-" + partition + "@" + offset + " " + key + "=" + value + " at " + timestampMs;
  }
}
