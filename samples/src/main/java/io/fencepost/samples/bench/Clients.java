package io.fencepost.samples.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Small pieces that all workloads share. */
final class Clients {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private Clients() {}

  static void createTopic(String bootstrap, String topic, int partitions) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      if (!admin.listTopics().names().get().contains(topic)) {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
      }
    }
  }

  static KafkaProducer<byte[], byte[]> producer(String bootstrap, Map<String, Object> more) {
    Map<String, Object> config = new LinkedHashMap<>();
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.putAll(more);
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Does not wait for a broker that is gone. */
  static void close(KafkaProducer<?, ?> producer) {
    producer.close(CLOSE_TIMEOUT);
  }
}
