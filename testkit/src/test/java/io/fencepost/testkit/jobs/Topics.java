package io.fencepost.testkit.jobs;

import io.fencepost.streams.FirstSights;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A cluster's topics as a test sees them; reads are read_committed. */
record Topics(String bootstrapServers) {
  private static final Set<TransactionState> LIVE =
      EnumSet.of(
          TransactionState.ONGOING,
          TransactionState.PREPARE_COMMIT,
          TransactionState.PREPARE_ABORT);

  /** Four partitions each; those that begin with {@code e-} have one. */
  void create(String... topics) throws Exception {
    create(Map.of(), topics);
  }

  void create(Map<String, String> settings, String... topics) throws Exception {
    try (Admin admin = admin()) {
      List<NewTopic> fresh = new ArrayList<>();
      for (String topic : topics) {
        int partitions = topic.startsWith("e-") ? 1 : 4;
        fresh.add(new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(settings));
      }
      admin.createTopics(fresh).all().get();
    }
  }

  int partitionCount(String topic) throws Exception {
    try (Admin admin = admin()) {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get()
          .get(topic)
          .partitions()
          .size();
    }
  }

  /** The fewest in-sync replicas of any partition, internal ones included. */
  int replicasInSync() throws Exception {
    try (Admin admin = admin()) {
      Set<String> topics =
          admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
      return admin.describeTopics(topics).allTopicNames().get().values().stream()
          .flatMap(topic -> topic.partitions().stream())
          .mapToInt(partition -> partition.isr().size())
          .min()
          .orElse(0);
    }
  }

  /**
   * Transactions that hold readers up although their coordinator calls them ended, so that nobody
   * will end them (KIP-664).
   */
  List<String> hangingTransactions() throws Exception {
    try (Admin admin = admin()) {
      Set<Long> live = new TreeSet<>();
      for (TransactionListing listing : admin.listTransactions().all().get()) {
        if (LIVE.contains(listing.state())) {
          live.add(listing.producerId());
        }
      }
      List<TopicPartition> partitions = new ArrayList<>();
      Set<String> topics =
          admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
      admin
          .describeTopics(topics)
          .allTopicNames()
          .get()
          .forEach(
              (topic, description) ->
                  description
                      .partitions()
                      .forEach(it -> partitions.add(new TopicPartition(topic, it.partition()))));
      List<String> hanging = new ArrayList<>();
      admin
          .describeProducers(partitions)
          .all()
          .get()
          .forEach(
              (partition, producers) ->
                  producers.activeProducers().stream()
                      .filter(it -> it.currentTransactionStartOffset().isPresent())
                      .filter(it -> !live.contains(it.producerId()))
                      .forEach(it -> hanging.add(partition + ": " + it)));
      return hanging;
    }
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrapServers));
  }

  /** Fails unless each is acknowledged. */
  void send(String topic, List<Map.Entry<String, String>> records) throws Exception {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", bootstrapServers);
    // Apache Kafka under load refuses a new idempotent producer now and then with
    // OUT_OF_ORDER_SEQUENCE_NUMBER until the delivery timeout.
    settings.put("enable.idempotence", "false");
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (Map.Entry<String, String> record : records) {
        sent.add(producer.send(new ProducerRecord<>(topic, record.getKey(), record.getValue())));
      }
      producer.flush();
    }
    for (Future<RecordMetadata> each : sent) {
      each.get();
    }
  }

  /**
   * Everything committed on the topic, read by position up to the high watermark: what an answered
   * EndTxn has decided may still wait for its markers.
   */
  List<ConsumerRecord<String, String>> read(String topic) {
    return read(topic, new StringDeserializer());
  }

  private <V> List<ConsumerRecord<String, V>> read(String topic, Deserializer<V> values) {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", bootstrapServers);
    settings.put("isolation.level", "read_committed");
    List<ConsumerRecord<String, V>> records = new ArrayList<>();
    try (KafkaConsumer<String, V> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), values)) {
      Map<TopicPartition, Long> ends = highWatermarks(topic);
      consumer.assign(ends.keySet());
      consumer.seekToBeginning(ends.keySet());
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    }
    return records;
  }

  private Map<TopicPartition, Long> highWatermarks(String topic) {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", bootstrapServers);
    try (KafkaConsumer<byte[], byte[]> uncommitted =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      return uncommitted.endOffsets(
          uncommitted.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList());
    }
  }

  /** The state that a changelog's committed records add up to. */
  Map<String, byte[]> replay(String changelog) {
    Map<String, byte[]> state = new LinkedHashMap<>();
    for (ConsumerRecord<String, byte[]> record : read(changelog, (topic, bytes) -> bytes)) {
      if (record.value() == null) {
        state.remove(record.key());
      } else if (record.key() == null) {
        FirstSights.forEach(
            record.value(),
            (key, seenMs) ->
                state.put(
                    new String(key, StandardCharsets.UTF_8),
                    ByteBuffer.allocate(Long.BYTES).putLong(seenMs).array()));
      } else {
        state.put(record.key(), record.value());
      }
    }
    return state;
  }

  /**
   * All committed offsets of a group together. An admin client waits in vain for a coordinator that
   * died after it was named (it does not look for another), so each try is short and anew.
   */
  long committedSum(String group) throws Exception {
    for (int tries = 1; ; tries++) {
      try (Admin admin = admin()) {
        return admin
            .listConsumerGroupOffsets(group, new ListConsumerGroupOffsetsOptions().timeoutMs(5_000))
            .partitionsToOffsetAndMetadata()
            .get()
            .values()
            .stream()
            .mapToLong(offset -> offset.offset())
            .sum();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TimeoutException) || tries == 12) {
          throw e;
        }
      }
    }
  }

  static List<Map.Entry<String, String>> numbered(int from, int to) {
    List<Map.Entry<String, String>> records = new ArrayList<>();
    for (int i = from; i < to; i++) {
      records.add(Map.entry("key-" + i, String.valueOf(i)));
    }
    return records;
  }

  static List<String> keysOf(List<ConsumerRecord<String, String>> records) {
    return records.stream().map(ConsumerRecord::key).toList();
  }
}
