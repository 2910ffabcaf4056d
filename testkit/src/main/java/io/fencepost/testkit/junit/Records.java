package io.fencepost.testkit.junit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** Records with other types, and as text. */
final class Records {
  private static final int SHOWN = 60;

  private Records() {}

  static <K, V> List<ConsumerRecord<K, V>> decoded(
      List<ConsumerRecord<byte[], byte[]>> records, Deserializer<K> keys, Deserializer<V> values) {
    List<ConsumerRecord<K, V>> decoded = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      ConsumerRecord<K, V> copy =
          new ConsumerRecord<>(
              record.topic(),
              record.partition(),
              record.offset(),
              keys.deserialize(record.topic(), record.headers(), record.key()),
              values.deserialize(record.topic(), record.headers(), record.value()));
      decoded.add(copy);
    }
    return decoded;
  }

  /** For tables: what can't be seen is a dot, and what is long is cut. */
  static String text(byte @Nullable [] bytes) {
    if (bytes == null) {
      return "null";
    }
    String text = new String(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", ".");
    return text.length() > SHOWN ? text.substring(0, SHOWN - 3) + "..." : text;
  }

  /** With its key, if it has one. */
  static String text(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null
        ? text(record.value())
        : text(record.key()) + "=" + text(record.value());
  }
}
