package io.fencepost.samples.client;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.testkit.net.RawClient;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition as its leader gives it out, control batches included, which consumers never show:
 * from its start to the high watermark. Meant for the short logs of a lab.
 */
public record RawLog(long highWatermark, long lastStableOffset, List<Entry> entries) {
  private static final int WAIT_MS = 1_000;
  private static final int MOST_TRIES = 60;

  /**
   * A record.
   *
   * @param producerId -1 if it is of no idempotent producer
   * @param marker null if it is not a marker that ends a transaction
   */
  public record Entry(
      long offset,
      long producerId,
      short producerEpoch,
      boolean isTransactional,
      @Nullable ControlMarker marker,
      @Nullable ByteBuffer key,
      @Nullable ByteBuffer value) {

    /** The value as text. */
    public String text() {
      return value == null ? "" : StandardCharsets.UTF_8.decode(value.duplicate()).toString();
    }
  }

  /** Reads all there is, from the leader of the partition. */
  public static RawLog read(RawClient leader, TopicPartition partition) {
    List<Entry> entries = new ArrayList<>();
    long next = 0;
    while (true) {
      FetchResponse.PartitionData answer = fetch(leader, partition, next, 0);
      long before = next;
      next = Math.max(next, decode(answer.records, entries));
      if (next == before) {
        return new RawLog(answer.highWatermark, answer.lastStableOffset, List.copyOf(entries));
      }
    }
  }

  /** The same, once the record at this offset may be read. */
  public static RawLog readOnce(RawClient leader, TopicPartition partition, long awaitedOffset) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      if (fetch(leader, partition, awaitedOffset, WAIT_MS).highWatermark > awaitedOffset) {
        return read(leader, partition);
      }
    }
    throw new KafkaException(partition + " has no record at offset " + awaitedOffset + " yet");
  }

  private static FetchResponse.PartitionData fetch(
      RawClient leader, TopicPartition from, long offset, int waitMs) {
    FetchResponse.PartitionData answer =
        leader.fetch(
            new io.fencepost.broker.wire.TopicPartition(from.topic(), from.partition()),
            offset,
            IsolationLevel.READ_UNCOMMITTED.id(),
            waitMs);
    if (answer.errorCode != 0) {
      throw new KafkaException(from + ": " + WireError.of(answer.errorCode));
    }
    return answer;
  }

  /** Returns the offset behind the last record, or -1 if there was none. */
  private static long decode(@Nullable Bytes bytes, List<Entry> entries) {
    long next = -1;
    if (bytes == null) {
      return next;
    }
    ByteBuffer records = bytes.toBuffer();
    int position = records.position();
    while (position < records.limit()) {
      BatchView batch = new BatchView().wrap(records, position);
      ControlMarker marker = batch.isControl() ? ControlMarker.of(batch) : null;
      RecordIterator each = RecordIterator.of(batch);
      while (each.next()) {
        entries.add(
            new Entry(
                each.record().offset(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.isTransactional(),
                marker,
                each.record().key(),
                each.record().value()));
      }
      next = batch.nextOffset();
      position += batch.sizeBytes();
    }
    return next;
  }
}
