package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.net.Endpoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** What a proof asks a cluster, past all faults. One thread. */
public final class Topics implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 20;
  private static final int LIST_TRIES = 20;
  private static final long LIST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final String bootstrap;
  private final Admin admin;

  /** Of a cluster. */
  public Topics(String bootstrap) {
    this.bootstrap = bootstrap;
    this.admin =
        Admin.create(
            Map.<String, Object>of(
                "bootstrap.servers",
                bootstrap,
                "retry.backoff.ms",
                "20",
                "reconnect.backoff.ms",
                "10",
                "reconnect.backoff.max.ms",
                "100"));
  }

  void create(List<String> names, int partitions, int replicas) {
    List<NewTopic> topics = new ArrayList<>();
    for (String name : names) {
      topics.add(new NewTopic(name, Optional.of(partitions), Optional.of((short) replicas)));
    }
    answer(admin.createTopics(topics).all());
  }

  void delete(List<String> names, String group) {
    answer(admin.deleteTopics(names).all());
    try {
      answer(admin.deleteConsumerGroups(List.of(group)).all());
    } catch (KafkaException e) {
      // There was none.
      return;
    }
  }

  List<String> existing() {
    return new ArrayList<>(answer(admin.listTopics().names()));
  }

  /** The offsets of a group, by partition. */
  public SortedMap<String, Long> committed(String group) {
    TreeMap<String, Long> offsets = new TreeMap<>();
    Map<TopicPartition, OffsetAndMetadata> found =
        answer(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    found.forEach(
        (partition, offset) -> {
          if (offset != null) {
            offsets.put(partition.toString(), offset.offset());
          }
        });
    return offsets;
  }

  /**
   * Of all producers that had one and are known by now; none if the brokers do not say. The client
   * cannot tell while brokers come and go.
   */
  SortedMap<Long, String> transactionalIds() {
    TreeMap<Long, String> ids = new TreeMap<>();
    for (int i = 0; i < LIST_TRIES; i++) {
      try {
        answer(admin.listTransactions().all())
            .forEach(it -> ids.put(it.producerId(), it.transactionalId()));
        return ids;
      } catch (KafkaException e) {
        LockSupport.parkNanos(LIST_RETRY_NANOS);
      }
    }
    return ids;
  }

  /** Where the partition's leader listens. */
  Endpoint leader(String topic, int partition) {
    TopicDescription described =
        answer(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
    if (described == null) {
      throw new KafkaException(topic + " is not there");
    }
    Node leader = described.partitions().get(partition).leader();
    if (leader == null || leader.isEmpty()) {
      throw new KafkaException(topic + "-" + partition + " has no leader");
    }
    return new Endpoint(leader.host(), leader.port());
  }

  /** High watermarks, or last stable offsets. */
  public SortedMap<String, Long> ends(List<TopicPartition> partitions, IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    partitions.forEach(partition -> asked.put(partition, OffsetSpec.latest()));
    TreeMap<String, Long> ends = new TreeMap<>();
    answer(admin.listOffsets(asked, new ListOffsetsOptions(isolation)).all())
        .forEach((partition, found) -> ends.put(partition.toString(), found.offset()));
    return ends;
  }

  /** All committed records up to the last stable offsets of now. */
  public List<ConsumerRecord<byte[], byte[]>> read(List<TopicPartition> partitions) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = reader(bootstrap, partitions)) {
      Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() > deadline) {
          throw new KafkaException("the output cannot be read up to " + ends);
        }
        consumer.poll(Duration.ofMillis(50)).forEach(records::add);
      }
    }
    return records;
  }

  /** Begins at the start of all partitions. */
  static KafkaConsumer<byte[], byte[]> reader(String bootstrap, List<TopicPartition> partitions) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.<String, Object>of(
                "bootstrap.servers",
                bootstrap,
                "fetch.max.wait.ms",
                "20", // a consumer that closes waits for its last fetch
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "none",
                "enable.auto.commit",
                "false",
                "retry.backoff.ms",
                "20",
                "reconnect.backoff.ms",
                "10",
                "reconnect.backoff.max.ms",
                "100"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(partitions);
    partitions.forEach(partition -> consumer.seek(partition, 0));
    return consumer;
  }

  /** The first so many partitions of each topic. */
  static List<TopicPartition> partitions(List<String> topics, int count) {
    List<TopicPartition> all = new ArrayList<>();
    for (String topic : topics) {
      for (int i = 0; i < count; i++) {
        all.add(new TopicPartition(topic, i));
      }
    }
    return all;
  }

  /** A record of output as it is compared. */
  public record Line(String partition, String topic, long offset, String key, String value) {
    private static final int SHOWN = 80;

    static Line of(ConsumerRecord<byte[], byte[]> record) {
      return new Line(
          record.topic() + "-" + record.partition(),
          record.topic(),
          record.offset(),
          text(record.key()),
          text(record.value()));
    }

    static String text(byte @Nullable [] bytes) {
      if (bytes == null) {
        return "null";
      }
      for (byte b : bytes) {
        if (b < ' ') {
          return "base64:" + Base64.getEncoder().encodeToString(bytes);
        }
      }
      return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** The {@link #text()} of a record with these. */
    static String text(byte @Nullable [] key, byte @Nullable [] value) {
      return withKey(text(key), text(value));
    }

    /** With its key, if it has one. */
    public String text() {
      return withKey(key, value);
    }

    private static String withKey(String key, String shown) {
      return key.isEmpty() ? shown : key + "=" + shown;
    }

    /** Equal for equal output, wherever it stands. */
    String content() {
      return topic + " " + text();
    }

    @Override
    public String toString() {
      return partition + "@" + offset + " " + shown();
    }

    /** As {@link #text}, but no longer than one can read. */
    String shown() {
      return withKey(key, shortened(value));
    }

    private static String shortened(String text) {
      return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }
  }

  private static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new KafkaException("the cluster did not answer for " + TIMEOUT_SECONDS + " s", e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
