package io.fencepost.testkit.prove.main;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.testkit.prove.main.WholeLogs.Batch;
import io.fencepost.testkit.prove.main.WholeLogs.Form;
import io.fencepost.testkit.prove.main.WholeLogs.Stored;
import io.fencepost.testkit.sim.AbortedFilter;
import io.fencepost.testkit.sim.FetchedBatches;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;

/**
 * The end of a partition's log, as readers of both isolation levels are handed it.
 *
 * @param from the first offset that was read; above the start if there is more than was asked for
 * @param committed below the last stable offset, without what was aborted
 * @param transactional batches and markers, in order
 * @param plain batches outside of transactions, in order
 */
record PartitionLeft(
    TopicPartition partition,
    long start,
    long from,
    long lastStableOffset,
    long highWatermark,
    List<Stored> committed,
    List<Batch> transactional,
    List<Batch> plain) {

  /**
   * Reads the last so many offsets.
   *
   * @throws KafkaException if it can't be read, or not in time
   */
  static PartitionLeft read(ClusterReader reader, TopicPartition partition, int most, Form form) {
    long start = reader.start(partition);
    // What ends below the last stable offset has its marker below the high watermark of afterwards.
    long stable = reader.end(partition, IsolationLevel.READ_COMMITTED);
    long high = reader.end(partition, IsolationLevel.READ_UNCOMMITTED);
    long from = Math.max(start, high - most);
    PartitionLeft left =
        new PartitionLeft(
            partition,
            start,
            from,
            stable,
            high,
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    left.read(reader, IsolationLevel.READ_COMMITTED, stable, form);
    left.read(reader, IsolationLevel.READ_UNCOMMITTED, high, form);
    return left;
  }

  private void read(ClusterReader reader, IsolationLevel isolation, long to, Form form) {
    long offset = from;
    while (offset < to) {
      FetchResponse.PartitionData data = reader.fetch(partition, offset, isolation);
      AbortedFilter filter = new AbortedFilter(data.abortedTransactions);
      long next =
          FetchedBatches.walk(
              data,
              offset,
              batch -> {
                Batch read = within(WholeLogs.batch(partition, batch, form), to);
                if (isolation == IsolationLevel.READ_COMMITTED) {
                  takeCommitted(batch, read, filter);
                } else if (batch.baseOffset() < to) {
                  (batch.isTransactional() ? transactional : plain).add(read);
                }
              });
      if (next <= offset) {
        throw new KafkaException("nothing comes from offset " + offset + " on");
      }
      offset = next;
    }
  }

  private void takeCommitted(BatchView batch, Batch read, AbortedFilter filter) {
    if (read.commit() != null) {
      filter.onMarker(batch);
    } else if (!filter.isAborted(batch)) {
      committed.addAll(read.records());
    }
  }

  private Batch within(Batch batch, long to) {
    return batch.with(
        batch.records().stream().filter(it -> it.offset() >= from && it.offset() < to).toList());
  }

  /** Below this a reader of committed records was handed all. */
  long committedEnd() {
    return Math.max(from, lastStableOffset);
  }

  /** Whether there is more of it. */
  boolean isCut() {
    return from > start;
  }
}
