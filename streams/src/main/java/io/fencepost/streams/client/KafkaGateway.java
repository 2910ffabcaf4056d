package io.fencepost.streams.client;

import io.fencepost.streams.task.Gateway;
import io.fencepost.streams.task.OutputRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@link Gateway} over a real consumer and real producers. Used by one worker thread. What a
 * cycle's end means is up to the kind: {@link ExactlyOnceGateway}, {@link AtLeastOnceGateway}.
 */
public abstract sealed class KafkaGateway implements Gateway
    permits ExactlyOnceGateway, AtLeastOnceGateway {
  private static final Duration COMMITTED_WAIT = Duration.ofSeconds(10);
  private static final Duration FIRST_POSITION_WAIT = Duration.ofMillis(200);
  private static final long NEVER = Long.MIN_VALUE;

  /** Later than the first work of an heir: it has waited long enough. */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Consumer<byte[], byte[]> consumer;
  private final ReceivedBytes received;
  private final Admin admin;
  private final Supplier<Producer<byte[], byte[]>> producers;
  private final Seat seat;
  private final Map<TopicPartition, ChangePosition> changes = new HashMap<>();
  private final Map<String, SentOutput> outputs = new LinkedHashMap<>();
  private @Nullable Producer<byte[], byte[]> producer;
  private long sentBytes;
  private boolean isHeir;
  private long joinedAtNanos = NEVER;

  KafkaGateway(
      Consumer<byte[], byte[]> consumer,
      Admin admin,
      Supplier<Producer<byte[], byte[]>> producers,
      Seat seat) {
    this.consumer = consumer;
    this.received = new ReceivedBytes(consumer);
    this.admin = admin;
    this.producers = producers;
    this.seat = seat;
  }

  /**
   * Remembers the highest offset that the producer's own thread reports for one changelog
   * partition.
   */
  private static final class ChangePosition implements Sent {
    private volatile long next = -1;
    private volatile @Nullable Exception refusal;

    @Override
    public @Nullable Exception refusal() {
      return refusal;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception error) {
      if (error != null) {
        refusal = error;
      } else if (metadata != null && metadata.hasOffset()) {
        next = Math.max(next, metadata.offset() + 1);
      }
    }
  }

  /** Remembers why a record of one output topic was not taken: the commit does not name it. */
  private static final class SentOutput implements Sent {
    private volatile @Nullable Exception refusal;

    @Override
    public @Nullable Exception refusal() {
      return refusal;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception error) {
      if (error != null && refusal == null) {
        refusal = error;
      }
    }
  }

  /** Hears what becomes of the records of one transaction for one topic or partition. */
  private interface Sent extends Callback {
    /** Why one of them was not taken; null while all are. */
    @Nullable Exception refusal();
  }

  @Override
  public void subscribe(
      Collection<String> topics, @Nullable Pattern pattern, Assignment assignment) {
    isHeir = seat.take();
    ConsumerRebalanceListener listener =
        new ConsumerRebalanceListener() {
          @Override
          public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            joinedAtNanos = System.nanoTime();
            assignment.assigned(partitions);
          }

          @Override
          public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            assignment.revoked(partitions);
          }

          @Override
          public void onPartitionsLost(Collection<TopicPartition> partitions) {
            assignment.lost(partitions);
          }
        };
    if (pattern == null) {
      consumer.subscribe(topics, listener);
    } else {
      consumer.subscribe(pattern, listener);
    }
  }

  @Override
  public List<Batch> poll(long timeoutMs) {
    List<Batch> batches = batches(consumer.poll(Duration.ofMillis(timeoutMs)));
    if (isHeir && joinedAtNanos != NEVER && System.nanoTime() - joinedAtNanos > SETTLED_NANOS) {
      isHeir = false;
      takeStock();
    }
    return batches;
  }

  /**
   * Has the group share its work anew. Whoever takes over a static member gets what it had, and
   * nobody looks: not at topics that came or were subscribed to since, and not at a partition that
   * had left one member and not yet reached another.
   */
  private void takeStock() {
    consumer.enforceRebalance("a dead process was replaced");
  }

  static List<Batch> batches(ConsumerRecords<byte[], byte[]> records) {
    List<Batch> batches = new ArrayList<>();
    for (TopicPartition partition : records.partitions()) {
      batches.add(new Batch(partition, records.records(partition)));
    }
    return batches;
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    consumer.pause(partitions);
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    consumer.resume(partitions);
  }

  @Override
  public long position(TopicPartition partition) {
    return consumer.position(partition);
  }

  @Override
  public @Nullable Long firstPosition(TopicPartition partition) {
    try {
      return consumer.position(partition, FIRST_POSITION_WAIT);
    } catch (TimeoutException e) {
      return null;
    }
  }

  @Override
  public long lag(TopicPartition partition) {
    return consumer.currentLag(partition).orElse(-1);
  }

  @Override
  public long sentBytes() {
    return sentBytes;
  }

  @Override
  public long receivedBytes() {
    return received.total();
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    consumer.seek(partition, offset);
  }

  @Override
  public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    consumer
        .committed(new LinkedHashSet<>(partitions), COMMITTED_WAIT)
        .forEach(
            (partition, offset) -> {
              if (offset != null) {
                offsets.put(partition, offset.offset());
              }
            });
    return offsets;
  }

  /** Closes the producer, if any, and makes another. */
  final Producer<byte[], byte[]> freshProducer() {
    closeProducer(Duration.ZERO);
    Producer<byte[], byte[]> fresh = producers.get();
    producer = fresh;
    return fresh;
  }

  final Producer<byte[], byte[]> producer() {
    if (producer == null) {
      throw new IllegalStateException("no producer yet");
    }
    return producer;
  }

  /** Forgets what became of earlier records. */
  final void forgetSent() {
    changes
        .values()
        .forEach(
            change -> {
              change.next = -1;
              change.refusal = null;
            });
    outputs.values().forEach(output -> output.refusal = null);
    sentBytes = 0;
  }

  @Override
  public void send(Output output) {
    SentOutput sent = outputs.get(output.topic());
    if (sent == null) {
      sent = new SentOutput();
      outputs.put(output.topic(), sent);
    }
    send(
        new ProducerRecord<>(
            output.topic(),
            null,
            output.timestampMs(),
            output.key(),
            output.value(),
            output.headers()),
        sent);
  }

  @Override
  public void sendChange(TopicPartition changelog, Change change) {
    ChangePosition position = changes.computeIfAbsent(changelog, unused -> new ChangePosition());
    send(
        new ProducerRecord<>(
            changelog.topic(),
            changelog.partition(),
            change.timestampMs(),
            change.key(),
            change.value()),
        position);
  }

  /**
   * Fails as soon as a record was not taken. The transaction is lost by then, and a producer that
   * misses a topic or partition waits for it max.block.ms long at each record anew.
   */
  private void send(ProducerRecord<byte[], byte[]> record, Sent callback) {
    sentBytes += length(record.key()) + length(record.value());
    try {
      Future<RecordMetadata> unused = producer().send(record, callback);
      Exception refusal = callback.refusal();
      if (refusal != null) {
        throw refusal instanceof KafkaException known ? known : new KafkaException(refusal);
      }
    } catch (KafkaException e) {
      throw naming(e);
    }
  }

  private static int length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  final ConsumerGroupMetadata membership() {
    return consumer.groupMetadata();
  }

  final void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
    consumer.commitSync(offsets);
  }

  static Map<TopicPartition, OffsetAndMetadata> withMetadata(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, OffsetAndMetadata> staged = new HashMap<>();
    offsets.forEach((partition, offset) -> staged.put(partition, new OffsetAndMetadata(offset)));
    return staged;
  }

  /** The first record since {@link #forgetSent} that was not taken; null if all were so far. */
  final @Nullable Exception failure() {
    Exception failure = null;
    for (SentOutput output : outputs.values()) {
      failure = failure == null ? output.refusal : failure;
    }
    for (ChangePosition change : changes.values()) {
      failure = failure == null ? change.refusal : failure;
    }
    return failure;
  }

  /** The call that meets a failed producer is not the one whose record failed: names the topic. */
  final KafkaException naming(KafkaException error) {
    for (Map.Entry<String, SentOutput> entry : outputs.entrySet()) {
      Exception refusal = entry.getValue().refusal;
      if (refusal instanceof RecordTooLargeException) {
        return new OutputRefused(entry.getKey(), refusal);
      }
    }
    return error;
  }

  @Override
  public Map<TopicPartition, Long> changePositions() {
    Map<TopicPartition, Long> positions = new HashMap<>();
    changes.forEach(
        (changelog, change) ->
            positions.put(changelog, change.next < 0 ? -1 : change.next + markers()));
    return positions;
  }

  /** How many markers follow the records of a cycle in each partition. */
  abstract int markers();

  @Override
  public void purge(Map<TopicPartition, Long> beforeOffsets) {
    Map<TopicPartition, RecordsToDelete> asked = new HashMap<>();
    beforeOffsets.forEach(
        (partition, offset) -> asked.put(partition, RecordsToDelete.beforeOffset(offset)));
    var unused = admin.deleteRecords(asked);
  }

  @Override
  public void purgeOlder(Map<TopicPartition, Long> beforeTimes) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    beforeTimes.forEach(
        (partition, timeMs) -> asked.put(partition, OffsetSpec.forTimestamp(timeMs)));
    var unused =
        admin
            .listOffsets(asked)
            .all()
            .whenComplete(
                (found, error) -> {
                  Map<TopicPartition, Long> offsets = new HashMap<>();
                  if (found != null) {
                    found.forEach((partition, first) -> offsets.put(partition, first.offset()));
                  }
                  // Nothing is as new, if it says -1; that would delete all.
                  offsets.values().removeIf(offset -> offset <= 0);
                  if (!offsets.isEmpty()) {
                    purge(offsets);
                  }
                });
  }

  @Override
  @SuppressWarnings("deprecation") // the successor of close(Duration) is missing in the 3.9 client
  public void close(long timeoutMs, boolean isReplaced) {
    long deadlineNanos = System.nanoTime() + timeoutMs * 1_000_000;
    try {
      consumer.close(Duration.ofMillis(timeoutMs * 3 / 4)); // a dead broker takes all of it
    } finally {
      try {
        if (!isReplaced) {
          seat.leave(Math.max(0, (deadlineNanos - System.nanoTime()) / 1_000_000));
        }
      } finally {
        closeProducer(Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime())));
      }
    }
  }

  private void closeProducer(Duration timeout) {
    Producer<byte[], byte[]> old = producer;
    producer = null;
    if (old != null) {
      old.close(timeout);
    }
  }
}
