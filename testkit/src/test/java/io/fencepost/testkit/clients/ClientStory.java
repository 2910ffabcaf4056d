package io.fencepost.testkit.clients;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What a transactional application does, in calls that every kafka-clients since 2.8 has: commit,
 * abort, offsets in transactions, being fenced, reading committed. Loaded once for each version of
 * the client; takes the address and a name of its own, and returns what it saw.
 */
public final class ClientStory implements BiFunction<String, String, List<String>> {
  private static final Duration STEP = Duration.ofMillis(200);
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** By name: their superclass is not the same in all versions. */
  private static final Set<String> FENCED =
      Set.of("ProducerFencedException", "InvalidProducerEpochException");

  @Override
  public List<String> apply(String bootstrap, String name) {
    List<String> seen = new ArrayList<>();
    Map<String, Object> common = new HashMap<>();
    common.put("bootstrap.servers", bootstrap);
    common.put("client.id", name);
    String in = name + "-in";
    String out = name + "-out";
    try (Admin admin = Admin.create(common)) {
      admin
          .createTopics(List.of(new NewTopic(in, 1, (short) 1), new NewTopic(out, 2, (short) 1)))
          .all()
          .get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    try (KafkaProducer<String, String> producer = producer(common, name);
        KafkaConsumer<String, String> consumer = consumer(common, name)) {
      producer.initTransactions();
      commit(producer, in, "i1", "i2", "i3");
      producer.beginTransaction();
      send(producer, out, 0, "aborted");
      send(producer, out, 1, "aborted");
      producer.flush();
      producer.abortTransaction();
      consumer.subscribe(List.of(in));
      for (String value : read(consumer, 3)) {
        producer.beginTransaction();
        send(producer, out, 0, "of " + value);
        producer.sendOffsetsToTransaction(
            Map.of(
                new TopicPartition(in, 0),
                new OffsetAndMetadata(Long.parseLong(value.substring(1)))),
            consumer.groupMetadata());
        if (value.equals("i2")) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
      TopicPartition input = new TopicPartition(in, 0);
      seen.add("offset " + consumer.committed(Set.of(input)).get(input).offset());
      seen.add(fence(common, name, producer, out));
    }
    try (KafkaConsumer<String, String> reader = consumer(common, name + "-reader")) {
      reader.subscribe(List.of(out));
      seen.addAll(read(reader, 3));
    }
    return seen;
  }

  /** Its failure shows when the transaction is committed. */
  private static void send(
      KafkaProducer<String, String> producer, String topic, int partition, String value) {
    var unused = producer.send(new ProducerRecord<>(topic, partition, "k", value));
  }

  private static void commit(
      KafkaProducer<String, String> producer, String topic, String... values) {
    producer.beginTransaction();
    for (String value : values) {
      send(producer, topic, 0, value);
    }
    producer.commitTransaction();
  }

  private static String fence(
      Map<String, Object> common, String name, KafkaProducer<String, String> zombie, String out) {
    zombie.beginTransaction();
    send(zombie, out, 0, "zombie");
    zombie.flush();
    try (KafkaProducer<String, String> successor = producer(common, name)) {
      successor.initTransactions();
      commit(successor, out, "of the successor");
      try {
        zombie.commitTransaction();
        return "not fenced";
      } catch (KafkaException e) {
        return FENCED.contains(e.getClass().getSimpleName()) ? "fenced" : e.toString();
      }
    }
  }

  /** Values in order, as many as asked for and what comes in a moment more. */
  private static List<String> read(KafkaConsumer<String, String> consumer, int count) {
    List<String> values = new ArrayList<>();
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (values.size() < count && System.nanoTime() < end) {
      for (ConsumerRecord<String, String> found : consumer.poll(STEP)) {
        values.add(found.value());
      }
    }
    for (ConsumerRecord<String, String> found : consumer.poll(STEP)) {
      values.add(found.value());
    }
    return values;
  }

  private static KafkaProducer<String, String> producer(Map<String, Object> common, String id) {
    Map<String, Object> config = new HashMap<>(common);
    config.put("transactional.id", id);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(Map<String, Object> common, String group) {
    Map<String, Object> config = new HashMap<>(common);
    config.put("group.id", group);
    config.put("isolation.level", "read_committed");
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", "false");
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }
}
