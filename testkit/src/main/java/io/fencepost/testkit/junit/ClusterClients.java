package io.fencepost.testkit.junit;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Clients of the kafka-clients on the class path, as tests want them. */
final class ClusterClients {
  /** Open transactions of a script wait for its next sentence; brokers allow 15 minutes. */
  private static final int TRANSACTION_TIMEOUT_MS = 600_000;

  private static final int CLOSE_TIMEOUT_MS = 5_000;

  private ClusterClients() {}

  static Admin admin(String bootstrap, Map<String, Object> settings) {
    return Admin.create(with(bootstrap, settings));
  }

  static KafkaProducer<Object, Object> producer(String bootstrap, Map<String, Object> settings) {
    TreeMap<String, Object> all = with(bootstrap, settings);
    all.putIfAbsent("acks", "all");
    all.putIfAbsent(
        "enable.idempotence", !"0".equals(all.get("acks")) && !"1".equals(all.get("acks")));
    return new KafkaProducer<>(all);
  }

  /** For one transactional id, its first transaction not begun; the id's last owner is fenced. */
  static KafkaProducer<byte[], byte[]> transactional(String bootstrap, String transactionalId) {
    TreeMap<String, Object> all = with(bootstrap, Map.of());
    all.put("transactional.id", transactionalId);
    all.put("transaction.timeout.ms", TRANSACTION_TIMEOUT_MS);
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    try {
      producer.initTransactions();
      return producer;
    } catch (RuntimeException e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  /** For records that are in no transaction. */
  static KafkaProducer<byte[], byte[]> plain(String bootstrap) {
    TreeMap<String, Object> all = with(bootstrap, Map.of());
    all.put("enable.idempotence", true);
    all.put("acks", "all");
    return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  static KafkaConsumer<Object, Object> consumer(String bootstrap, Map<String, Object> settings) {
    TreeMap<String, Object> all = with(bootstrap, settings);
    all.putIfAbsent("group.id", "test-" + UUID.randomUUID());
    all.putIfAbsent("auto.offset.reset", "earliest");
    all.putIfAbsent("isolation.level", "read_committed");
    return new KafkaConsumer<>(all);
  }

  /** Without a group; to ask for a topic does not make it. */
  static KafkaConsumer<byte[], byte[]> reader(String bootstrap, boolean committed) {
    TreeMap<String, Object> all = with(bootstrap, Map.of());
    all.put("allow.auto.create.topics", false);
    all.put("auto.offset.reset", "earliest");
    all.put("enable.auto.commit", false);
    all.put("isolation.level", committed ? "read_committed" : "read_uncommitted");
    all.put("default.api.timeout.ms", 3 * CLOSE_TIMEOUT_MS);
    return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static TreeMap<String, Object> with(String bootstrap, Map<String, Object> settings) {
    TreeMap<String, Object> all = new TreeMap<>(settings);
    all.putIfAbsent("bootstrap.servers", bootstrap);
    return all;
  }
}
