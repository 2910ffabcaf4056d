package io.fencepost.testkit.maintenance;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The clients of one test. */
final class MaintenanceClients implements AutoCloseable {
  /** Longer in records' time than this begins a new segment. */
  static final int SEGMENT_MS = 500;

  private final String bootstrap;
  private final Admin admin;
  private final KafkaProducer<String, String> producer;

  MaintenanceClients(String bootstrap) {
    this.bootstrap = bootstrap;
    this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    this.producer = producer(Map.of());
  }

  KeptTopic topic(Map<String, String> configs) {
    TreeMap<String, String> all = new TreeMap<>(configs);
    all.put("segment.ms", Integer.toString(SEGMENT_MS));
    String name = "kept-" + UUID.randomUUID();
    try {
      admin.createTopics(List.of(new NewTopic(name, 1, (short) 1).configs(all))).all().get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return new KeptTopic(this, name);
  }

  Admin admin() {
    return admin;
  }

  KafkaProducer<String, String> producer() {
    return producer;
  }

  KafkaProducer<String, String> transactional() {
    return producer(Map.of("transactional.id", UUID.randomUUID().toString()));
  }

  private KafkaProducer<String, String> producer(Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(more);
    config.put("bootstrap.servers", bootstrap);
    config.put("linger.ms", 0);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  KafkaConsumer<String, String> consumer(String isolation) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "isolation.level",
            isolation,
            "auto.offset.reset",
            "none",
            "fetch.max.wait.ms",
            50),
        new StringDeserializer(),
        new StringDeserializer());
  }

  @Override
  public void close() {
    producer.close();
    admin.close();
  }
}
