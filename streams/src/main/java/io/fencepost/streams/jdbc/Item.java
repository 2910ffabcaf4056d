package io.fencepost.streams.jdbc;

import io.fencepost.streams.Message;
import io.fencepost.streams.Origin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * A record and what it was read as.
 *
 * @param message null if it cannot be read
 * @param problem why not; null if it can
 */
record Item<K, V>(
    ConsumerRecord<byte[], byte[]> record,
    @Nullable Message<K, V> message,
    @Nullable RuntimeException problem) {

  static <K, V> Item<K, V> of(
      ConsumerRecord<byte[], byte[]> record, Serde<K> keySerde, Serde<V> valueSerde) {
    try {
      String topic = record.topic();
      K key = keySerde.deserializer().deserialize(topic, record.headers(), record.key());
      V value = valueSerde.deserializer().deserialize(topic, record.headers(), record.value());
      Origin origin = new Origin(topic, record.partition(), record.offset());
      return new Item<>(
          record, new Message<>(key, value, record.timestamp(), record.headers(), origin), null);
    } catch (RuntimeException e) {
      return new Item<>(record, null, e);
    }
  }

  TopicPartition partition() {
    return new TopicPartition(record.topic(), record.partition());
  }

  Origin origin() {
    return new Origin(record.topic(), record.partition(), record.offset());
  }
}
