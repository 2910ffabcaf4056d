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
    create(bootstrap, new NewTopic(topic, partitions, (short) 1));
  }

  /** A topic of one partition; where there are several replicas, two must be in sync. */
  static void createReplicatedTopic(String bootstrap, String topic, int replicas) throws Exception {
    int inSync = Math.min(2, replicas);
    create(
        bootstrap,
        new NewTopic(topic, 1, (short) replicas)
            .configs(Map.of("min.insync.replicas", String.valueOf(inSync))));
  }

  private static void create(String bootstrap, NewTopic topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      if (!admin.listTopics().names().get().contains(topic.name())) {
        admin.createTopics(List.of(topic)).all().get();
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
