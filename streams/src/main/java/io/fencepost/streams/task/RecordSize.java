package io.fencepost.streams.task;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** How many bytes a record takes in a batch of its own, at most. */
final class RecordSize {
  /** Batch header (61), and length, attributes, timestamp and offset of the record. */
  private static final int OVERHEAD_BYTES = 61 + 21;

  private static final int LENGTH_BYTES = 5;

  private RecordSize() {}

  static long of(Gateway.Output output) {
    long bytes = of(output.key(), output.value());
    for (Header header : output.headers()) {
      bytes += header.key().getBytes(StandardCharsets.UTF_8).length + 2L * LENGTH_BYTES;
      bytes += header.value() == null ? 0 : header.value().length;
    }
    return bytes;
  }

  static long of(byte @Nullable [] key, byte @Nullable [] value) {
    long keyBytes = key == null ? 0 : key.length;
    long valueBytes = value == null ? 0 : value.length;
    return OVERHEAD_BYTES + 3L * LENGTH_BYTES + keyBytes + valueBytes;
  }
}
