package io.fencepost.testkit.prove.main;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.testkit.sim.FetchedBatches;
import io.fencepost.txn.txn.ProducerIdentity;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Logs as they stand: records of all transactions, aborted ones too, and the markers. */
final class WholeLogs {
  private static final int TIMEOUT_MS = 5_000;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private WholeLogs() {}

  /** A record, as {@link Topics.Line} shows it. */
  record Stored(long offset, String content) {}

  /** How a record is shown. */
  interface Form {
    String text(byte @Nullable [] key, byte @Nullable [] value);
  }

  /**
   * A batch of the log, or a marker.
   *
   * @param atMs when it was written, for a marker; what its job says, for records
   * @param commit what a marker says; null for records
   */
  record Batch(
      TopicPartition partition,
      long baseOffset,
      int leaderEpoch,
      long atMs,
      ProducerIdentity producer,
      @Nullable Boolean commit,
      int coordinatorEpoch,
      List<Stored> records) {
    /** The same with other records. */
    Batch with(List<Stored> others) {
      return new Batch(
          partition, baseOffset, leaderEpoch, atMs, producer, commit, coordinatorEpoch, others);
    }
  }

  /** All batches that were written in transactions, each partition in order. */
  static List<Batch> read(Topics topics, List<String> names, int partitions) {
    List<Batch> batches = new ArrayList<>();
    for (String topic : names) {
      for (int partition = 0; partition < partitions; partition++) {
        read(topics, new TopicPartition(topic, partition), batches);
      }
    }
    return batches;
  }

  private static void read(Topics topics, TopicPartition partition, List<Batch> batches) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    long offset = 0;
    while (true) {
      Endpoint leader = topics.leader(partition.topic(), partition.partition());
      try (RawClient client = RawClient.connect(leader, TIMEOUT_MS)) {
        while (true) {
          FetchResponse.PartitionData data =
              client.fetch(partition, offset, IsolationLevel.READ_UNCOMMITTED.id(), 0);
          long next =
              WireError.of(data.errorCode) == WireError.NONE
                  ? FetchedBatches.walk(data, offset, batch -> take(partition, batch, batches))
                  : -1;
          if (next == offset && offset >= data.highWatermark) {
            return;
          }
          if (next <= offset) {
            break;
          }
          offset = next;
        }
      } catch (UncheckedIOException e) {
        // It is asked again: leaders still move.
      }
      if (System.nanoTime() - deadline > 0) {
        throw new KafkaException(partition + " cannot be read past offset " + offset);
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  private static void take(TopicPartition partition, BatchView batch, List<Batch> batches) {
    if (batch.isTransactional()) {
      batches.add(batch(partition, batch, Topics.Line::text));
    }
  }

  /** A batch of records that are shown so, or a marker. */
  static Batch batch(TopicPartition partition, BatchView batch, Form form) {
    ControlMarker marker = ControlMarker.of(batch);
    List<Stored> records = new ArrayList<>();
    if (marker == null) {
      RecordIterator iterator = RecordIterator.of(batch);
      while (iterator.next()) {
        records.add(
            new Stored(
                iterator.record().offset(),
                form.text(bytes(iterator.record().key()), bytes(iterator.record().value()))));
      }
    }
    return new Batch(
        partition,
        batch.baseOffset(),
        batch.leaderEpoch(),
        batch.maxTimestamp(),
        new ProducerIdentity(batch.producerId(), batch.producerEpoch()),
        marker == null ? null : (Boolean) marker.commit(),
        marker == null ? 0 : marker.coordinatorEpoch(),
        records);
  }

  private static byte @Nullable [] bytes(@Nullable ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
