package io.fencepost.samples.client;

import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Kafka clients with the settings that this program wants, under Kafka's own names. */
public final class Clients {
  /** How long one poll waits for records. */
  public static final Duration POLL = Duration.ofMillis(200);

  private Clients() {}

  /** Settings of an idempotent producer that waits for all replicas. */
  public static Properties producerSettings(String bootstrap) {
    Properties settings = new Properties();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "30000");
    return settings;
  }

  /** A producer of text with a transactional id. */
  public static KafkaProducer<String, String> transactional(String bootstrap, String id) {
    Properties settings = producerSettings(bootstrap);
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, "30000");
    return producer(settings);
  }

  /** A producer of text with these settings. */
  public static KafkaProducer<String, String> producer(Properties settings) {
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  /** Settings of a consumer that reads committed records from the start and commits by hand. */
  public static Properties consumerSettings(String bootstrap) {
    Properties settings = new Properties();
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    return settings;
  }

  /** A consumer of a group for text. */
  public static KafkaConsumer<String, String> consumer(String bootstrap, String group) {
    Properties settings = consumerSettings(bootstrap);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  /** A consumer without a group. */
  public static <V> KafkaConsumer<String, V> reader(String bootstrap, Deserializer<V> values) {
    return new KafkaConsumer<>(consumerSettings(bootstrap), new StringDeserializer(), values);
  }
}
