package io.fencepost.streams;

import org.apache.kafka.common.serialization.Serde;

/**
 * A key in a window of event time.
 *
 * @param startMs inclusive, in milliseconds since 1970
 * @param endMs exclusive, in milliseconds since 1970
 */
public record Windowed<K>(K key, long startMs, long endMs) {
  /**
   * Reads and writes such keys, in a format that stays:
   *
   * <pre>
   * 8 bytes   endMs     big-endian, sign bit inverted
   * 8 bytes   startMs   big-endian, sign bit inverted
   * rest      the key as {@code keySerde} writes it
   * </pre>
   *
   * So unsigned bytes sort by end, then start, then key.
   */
  public static <K> Serde<Windowed<K>> serde(Serde<K> keySerde) {
    return new WindowedSerde<>(keySerde);
  }

  @Override
  public String toString() {
    return key + "[" + startMs + ", " + endMs + ")";
  }
}
