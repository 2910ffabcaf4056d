package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real clients against a real server. */
@Timeout(60)
class FencepostServerIT {
  private static final String TOPIC = "charges";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

  @TempDir private Path directory;

  @Test
  void committed_records_are_read_and_aborted_ones_are_not() {
    try (FencepostServer server = FencepostServer.start();
        KafkaProducer<String, String> producer = producer(server, "tx-1", 60_000)) {
      topic(server);
      producer.initTransactions();
      send(producer, "kept");
      producer.commitTransaction();
      send(producer, "dropped");
      producer.abortTransaction();
      send(producer, "kept too");
      producer.commitTransaction();
      assertThat(committed(server, 2)).containsExactly("kept", "kept too");
    }
  }

  @Test
  void a_second_producer_of_the_id_fences_the_first_and_aborts_its_transaction() {
    try (FencepostServer server = FencepostServer.start();
        KafkaProducer<String, String> old = producer(server, "tx-1", 60_000);
        KafkaProducer<String, String> fresh = producer(server, "tx-1", 60_000)) {
      topic(server);
      old.initTransactions();
      send(old, "of the old one");
      old.flush();
      fresh.initTransactions();
      send(fresh, "of the new one");
      fresh.commitTransaction();
      assertThatThrownBy(old::commitTransaction)
          .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
      assertThat(committed(server, 1)).containsExactly("of the new one");
    }
  }

  @Test
  void a_transaction_past_its_timeout_is_aborted_within_a_second() {
    try (FencepostServer server = FencepostServer.start();
        KafkaProducer<String, String> slow = producer(server, "slow", 500);
        KafkaProducer<String, String> other = producer(server, "other", 60_000)) {
      topic(server);
      slow.initTransactions();
      other.initTransactions();
      send(slow, "too late");
      slow.flush();
      long begun = System.nanoTime();
      send(other, "behind it");
      other.commitTransaction();
      assertThat(committed(server, 1)).containsExactly("behind it");
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
      assertThatThrownBy(slow::commitTransaction).isInstanceOf(KafkaException.class);
    }
  }

  @Test
  void transactions_go_on_after_a_restart() {
    FencepostConfig config = FencepostConfig.builder().dir(directory).build();
    try (FencepostServer server = FencepostServer.start(config);
        KafkaProducer<String, String> producer = producer(server, "tx-1", 60_000)) {
      topic(server);
      producer.initTransactions();
      send(producer, "before");
      producer.commitTransaction();
    }
    try (FencepostServer server = FencepostServer.start(config);
        KafkaProducer<String, String> producer = producer(server, "tx-1", 60_000)) {
      producer.initTransactions();
      send(producer, "after");
      producer.commitTransaction();
      assertThat(committed(server, 2)).containsExactly("before", "after");
    }
  }

  @Test
  void tools_see_transactions() throws Exception {
    try (FencepostServer server = FencepostServer.start();
        KafkaProducer<String, String> producer = producer(server, "tx-1", 60_000);
        Admin admin = admin(server)) {
      topic(server);
      producer.initTransactions();
      send(producer, "open");
      producer.flush();
      assertThat(admin.listTransactions().all().get())
          .anySatisfy(listing -> assertThat(listing.state().toString()).isEqualTo("Ongoing"));
      assertThat(admin.describeTransactions(List.of("tx-1")).description("tx-1").get())
          .satisfies(seen -> assertThat(seen.topicPartitions()).containsExactly(PARTITION));
      admin.fenceProducers(List.of("tx-1")).all().get();
      assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
    }
  }

  @Test
  void offsets_are_committed_with_the_transaction_and_only_then() {
    try (FencepostServer server = FencepostServer.start();
        KafkaProducer<String, String> producer = producer(server, "tx-1", 60_000);
        KafkaConsumer<String, String> member = consumer(server, "workers")) {
      topic(server);
      producer.initTransactions();
      send(producer, "input");
      producer.commitTransaction();
      member.subscribe(List.of(TOPIC));
      long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (member.poll(Duration.ofMillis(100)).isEmpty()) {
        assertThat(System.nanoTime()).isLessThan(deadline);
      }
      send(producer, "dropped");
      producer.sendOffsetsToTransaction(
          Map.of(PARTITION, new OffsetAndMetadata(1)), member.groupMetadata());
      producer.abortTransaction();
      assertThat(member.committed(Set.of(PARTITION)).get(PARTITION)).isNull();
      send(producer, "output");
      producer.sendOffsetsToTransaction(
          Map.of(PARTITION, new OffsetAndMetadata(2)), member.groupMetadata());
      producer.commitTransaction();
      assertThat(member.committed(Set.of(PARTITION)))
          .containsEntry(PARTITION, new OffsetAndMetadata(2));
    }
  }

  private static void send(KafkaProducer<String, String> producer, String value) {
    producer.beginTransaction();
    var unused = producer.send(new ProducerRecord<>(TOPIC, 0, "k", value));
  }

  private static Properties common(FencepostServer server) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", server.bootstrapServers());
    return properties;
  }

  private static Admin admin(FencepostServer server) {
    return Admin.create(common(server));
  }

  private static void topic(FencepostServer server) {
    try (Admin admin = admin(server)) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static KafkaProducer<String, String> producer(
      FencepostServer server, String id, int timeoutMs) {
    Properties properties = common(server);
    properties.put("transactional.id", id);
    properties.put("transaction.timeout.ms", timeoutMs);
    return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(FencepostServer server, String group) {
    Properties properties = common(server);
    properties.putAll(
        Map.of(
            "isolation.level",
            "read_committed",
            "auto.offset.reset",
            "earliest",
            "group.id",
            group,
            "enable.auto.commit",
            "false"));
    return new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer());
  }

  private static List<String> committed(FencepostServer server, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = consumer(server, "readers")) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (values.size() < count && System.nanoTime() < deadline) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }
}
