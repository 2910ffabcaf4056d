package io.fencepost.streams.test;

import io.fencepost.streams.task.Gateway;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** A topic of a {@link JobTest}, to be written and read with these types. */
public final class TestTopic<K, V> {
  private final JobTest test;
  private final String name;
  private final Serde<K> keySerde;
  private final Serde<V> valueSerde;

  TestTopic(JobTest test, String name, Serde<K> keySerde, Serde<V> valueSerde) {
    this.test = test;
    this.name = name;
    this.keySerde = keySerde;
    this.valueSerde = valueSerde;
  }

  public String name() {
    return name;
  }

  // ---- writing

  /** Publishes at the test's time, to the partition that Kafka's producer would choose. */
  public TestTopic<K, V> send(@Nullable K key, @Nullable V value) {
    return prepare(key, value).send();
  }

  /** Publishes with a time of its own, in milliseconds since 1970. */
  public TestTopic<K, V> send(@Nullable K key, @Nullable V value, long timestampMs) {
    return prepare(key, value).at(timestampMs).send();
  }

  public TestTopic<K, V> send(@Nullable K key, @Nullable V value, Instant time) {
    return send(key, value, time.toEpochMilli());
  }

  /** A record to be given more than key and value, then sent. */
  public Draft prepare(@Nullable K key, @Nullable V value) {
    return new Draft(key, value);
  }

  /** A record that is not published yet. */
  public final class Draft {
    private final @Nullable K key;
    private final @Nullable V value;
    private final Headers headers = MemoryCluster.noHeaders();
    private long timestampMs = test.now().toEpochMilli();
    private int partition = -1;

    private Draft(@Nullable K key, @Nullable V value) {
      this.key = key;
      this.value = value;
    }

    public Draft at(long newTimestampMs) {
      timestampMs = newTimestampMs;
      return this;
    }

    public Draft at(Instant time) {
      return at(time.toEpochMilli());
    }

    public Draft to(int newPartition) {
      partition = newPartition;
      return this;
    }

    public Draft header(String headerName, String text) {
      headers.add(headerName, text.getBytes(StandardCharsets.UTF_8));
      return this;
    }

    public Draft header(String headerName, byte[] bytes) {
      headers.add(headerName, bytes);
      return this;
    }

    public TestTopic<K, V> send() {
      byte[] keyBytes = keySerde.serializer().serialize(name, headers, key);
      byte[] valueBytes = valueSerde.serializer().serialize(name, headers, value);
      MemoryCluster cluster = test.clusterWithInput(name);
      TopicPartition to =
          partition < 0 ? cluster.partitionOf(name, keyBytes) : new TopicPartition(name, partition);
      cluster.append(to, new Gateway.Output(name, keyBytes, valueBytes, timestampMs, headers));
      return TestTopic.this;
    }
  }

  // ---- reading

  /** All that a read_committed reader sees, in the order of publishing. */
  public List<TestRecord<K, V>> committed() {
    return records(test.cluster().committed(name));
  }

  /** All that a read_uncommitted reader sees: records of open and aborted transactions too. */
  public List<TestRecord<K, V>> uncommitted() {
    return records(test.cluster().uncommitted(name));
  }

  /** What of {@link #committed} this method has not returned before, whoever asked. */
  public List<TestRecord<K, V>> next() {
    List<TestRecord<K, V>> fresh = new ArrayList<>();
    for (TestRecord<K, V> record : committed()) {
      if (test.isUnread(record)) {
        fresh.add(record);
      }
    }
    fresh.forEach(test::markRead);
    return fresh;
  }

  private List<TestRecord<K, V>> records(List<ConsumerRecord<byte[], byte[]>> read) {
    return read.stream().map(this::record).toList();
  }

  private TestRecord<K, V> record(ConsumerRecord<byte[], byte[]> read) {
    return new TestRecord<>(
        name,
        read.partition(),
        read.offset(),
        keySerde.deserializer().deserialize(name, read.headers(), read.key()),
        valueSerde.deserializer().deserialize(name, read.headers(), read.value()),
        read.timestamp(),
        read.headers());
  }
}
