package io.fencepost.testkit.groups;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Clients of one test, closed at its end, and what tests do with them. */
final class GroupClients implements AutoCloseable {
  private static final Duration SLICE = Duration.ofMillis(50);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  final String group = "g-" + UUID.randomUUID();
  private final String bootstrap;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Admin admin;

  GroupClients(String bootstrap) {
    this.bootstrap = bootstrap;
    this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
  }

  Admin admin() {
    return admin;
  }

  String topic(int partitions) {
    String name = "t-" + UUID.randomUUID();
    topic(name, partitions);
    return name;
  }

  void topic(String name, int partitions) {
    done(admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all());
  }

  static <T> T done(org.apache.kafka.common.KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** A consumer of the newer protocol. */
  KafkaConsumer<String, String> consumer(Object... more) {
    List<Object> settings = new ArrayList<>(List.of("group.protocol", "consumer"));
    settings.addAll(List.of(more));
    return anyConsumer(settings.toArray());
  }

  /** A consumer of the classic protocol. */
  KafkaConsumer<String, String> classic(Object... more) {
    List<Object> settings = new ArrayList<>(List.of("heartbeat.interval.ms", 200));
    settings.addAll(List.of("session.timeout.ms", 6_000));
    settings.addAll(List.of(more));
    return anyConsumer(settings.toArray());
  }

  private KafkaConsumer<String, String> anyConsumer(Object... settings) {
    Map<String, Object> config = new TreeMap<>();
    config.put("bootstrap.servers", bootstrap);
    config.put("group.id", group);
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", false);
    config.put("isolation.level", "read_committed");
    config.put("metadata.max.age.ms", 1_000);
    config.put("allow.auto.create.topics", false);
    for (int i = 0; i < settings.length; i += 2) {
      config.put((String) settings[i], settings[i + 1]);
    }
    KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    open.add(consumer);
    return consumer;
  }

  KafkaProducer<String, String> transactions(String transactionalId) {
    KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "transactional.id", transactionalId),
            new StringSerializer(),
            new StringSerializer());
    open.add(producer);
    producer.initTransactions();
    return producer;
  }

  void produce(String topic, int partition, int count) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < count; i++) {
        var unused = producer.send(new ProducerRecord<>(topic, partition, null, "v" + i));
      }
    }
  }

  /** Polls all until the condition holds. */
  @SafeVarargs
  static void pollUntil(
      String what, java.util.function.BooleanSupplier condition, Consumer<String, String>... all) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (System.nanoTime() < deadline) {
      for (Consumer<String, String> consumer : all) {
        consumer.poll(SLICE);
      }
      if (condition.getAsBoolean()) {
        return;
      }
    }
    Map<String, Object> seen = new TreeMap<>();
    for (Consumer<String, String> consumer : all) {
      seen.put(consumer.groupMetadata().memberId(), consumer.assignment());
    }
    throw new AssertionError("not within a minute: " + what + "; " + seen);
  }

  /** Polls all until they share the partitions of the topics, with so many each. */
  @SafeVarargs
  static void settle(int each, KafkaConsumer<String, String>... all) {
    pollUntil(
        each + " partitions each",
        () -> {
          Set<TopicPartition> union = new LinkedHashSet<>();
          boolean even = true;
          for (KafkaConsumer<String, String> consumer : all) {
            even &= consumer.assignment().size() == each;
            union.addAll(consumer.assignment());
          }
          return even && union.size() == each * all.length;
        },
        all);
  }

  static List<String> read(KafkaConsumer<String, String> consumer, int count) {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (values.size() < count && System.nanoTime() < deadline) {
      for (ConsumerRecord<String, String> record : consumer.poll(SLICE)) {
        values.add(record.value());
      }
    }
    return values;
  }

  /** -1 if there is none. */
  long committed(TopicPartition partition) {
    OffsetAndMetadata offset =
        done(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).get(partition);
    return offset == null ? -1 : offset.offset();
  }

  /** The consumer stops as if its process had died: it says nothing to the group. */
  void kill(KafkaConsumer<String, String> consumer) {
    open.remove(consumer);
    consumer.close(
        CloseOptions.timeout(Duration.ZERO)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));
  }

  void close(KafkaConsumer<String, String> consumer) {
    open.remove(consumer);
    consumer.close();
  }

  @Override
  public void close() {
    for (AutoCloseable client : open) {
      if (client instanceof KafkaConsumer<?, ?> consumer) {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
      } else if (client instanceof KafkaProducer<?, ?> producer) {
        producer.close(Duration.ofSeconds(1));
      }
    }
    admin.close(Duration.ofSeconds(1));
  }
}
