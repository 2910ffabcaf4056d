package io.fencepost.broker.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.config.BrokerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own clients against a broker without coordinators. */
class KafkaClientsIT {
  @TempDir Path directory;
  private BrokerServer broker;

  @BeforeEach
  void start_a_broker() {
    broker = start(0);
  }

  @AfterEach
  void stop_the_broker() {
    broker.close();
  }

  private BrokerServer start(int port) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("log.dirs", directory.toString());
    settings.put("listeners", "PLAINTEXT://localhost:" + port);
    return BrokerServer.start(BrokerConfig.of(settings), List.of());
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  private KafkaProducer<String, String> producer(String codec) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "compression.type",
            codec,
            "enable.idempotence",
            "false",
            "acks",
            "all"),
        new StringSerializer(),
        new StringSerializer());
  }

  private List<String> read(String topic, int count) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      consumer
          .partitionsFor(topic)
          .forEach(p -> partitions.add(new TopicPartition(topic, p.partition())));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      List<String> values = new ArrayList<>();
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (values.size() < count && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
      }
      return values;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void what_was_produced_is_consumed_in_order(String codec) throws Exception {
    List<String> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer = producer(codec)) {
      for (int i = 0; i < 500; i++) {
        sent.add("value-" + i + "-" + "x".repeat(i));
        var unused = producer.send(new ProducerRecord<>("numbers", "key", sent.get(i)));
      }
      producer.flush();
    }
    assertThat(read("numbers", 500)).isEqualTo(sent);
  }

  @Test
  void records_and_topics_survive_a_restart() throws Exception {
    try (KafkaProducer<String, String> producer = producer("none")) {
      producer.send(new ProducerRecord<>("lasting", "one")).get();
    }
    int port = broker.port();
    broker.close();
    broker = start(port);
    try (KafkaProducer<String, String> producer = producer("none")) {
      assertThat(producer.send(new ProducerRecord<>("lasting", "two")).get().offset()).isEqualTo(1);
    }
    assertThat(read("lasting", 2)).containsExactly("one", "two");
  }

  @Test
  void topics_are_created_described_grown_and_deleted() throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic("orders", 3, (short) 1))).all().get();
      assertThat(admin.listTopics().names().get()).containsExactly("orders");
      admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(5))).all().get();
      TopicDescription described =
          admin.describeTopics(List.of("orders")).allTopicNames().get().get("orders");
      assertThat(described.partitions()).hasSize(5);
      assertThat(admin.describeCluster().nodes().get()).hasSize(1);
      admin.deleteTopics(List.of("orders")).all().get();
      assertThat(admin.listTopics().names().get()).isEmpty();
      fails(admin.describeTopics(List.of("orders")).allTopicNames()::get)
          .isInstanceOf(UnknownTopicOrPartitionException.class);
    }
  }

  @Test
  void impossible_topics_are_refused_with_the_reason() throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic("a.b", 1, (short) 1))).all().get();
      fails(create(admin, new NewTopic("a.b", 1, (short) 1)))
          .isInstanceOf(TopicExistsException.class);
      fails(create(admin, new NewTopic("a_b", 1, (short) 1)))
          .isInstanceOf(InvalidTopicException.class)
          .hasMessageContaining("a.b");
      fails(create(admin, new NewTopic("two words", 1, (short) 1)))
          .isInstanceOf(InvalidTopicException.class);
      fails(create(admin, new NewTopic("wide", 1, (short) 3)))
          .isInstanceOf(InvalidReplicationFactorException.class);
      fails(create(admin, new NewTopic("odd", 1, (short) 1).configs(Map.of("retention.mss", "1"))))
          .isInstanceOf(InvalidConfigurationException.class)
          .hasMessage("Unknown topic config name: retention.mss; did you mean retention.ms?");
    }
  }

  @Test
  void settings_of_a_topic_are_changed_and_shown_with_their_source() throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic("tuned", 1, (short) 1))).all().get();
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "tuned");
      Collection<AlterConfigOp> change =
          List.of(
              new AlterConfigOp(new ConfigEntry("retention.ms", "1000"), AlterConfigOp.OpType.SET),
              new AlterConfigOp(
                  new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND));
      admin.incrementalAlterConfigs(Map.of(topic, change)).all().get();
      Config config = admin.describeConfigs(List.of(topic)).all().get().get(topic);
      assertThat(config.get("retention.ms").value()).isEqualTo("1000");
      assertThat(config.get("retention.ms").source())
          .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
      assertThat(config.get("cleanup.policy").value()).isEqualTo("delete,compact");
      assertThat(config.get("segment.bytes").source())
          .isEqualTo(ConfigEntry.ConfigSource.DEFAULT_CONFIG);
    }
  }

  private static org.assertj.core.api.ThrowableAssert.ThrowingCallable create(
      Admin admin, NewTopic topic) {
    return () -> admin.createTopics(List.of(topic)).all().get();
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> fails(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return assertThatThrownBy(call).isInstanceOf(ExecutionException.class).cause();
  }
}
