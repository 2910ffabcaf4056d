package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;
import org.jspecify.annotations.Nullable;

/** Reads one partition from its start for ever. Not thread-safe. */
final class SimReader {
  private static final int FETCH_VERSION = 11;
  private static final long RETRY_MS = 50;

  private final String name;
  private final TopicPartition partition;
  private final Isolation isolation;
  private final boolean recordsBatches;
  private final SimClient client;
  private final Scheduler scheduler;
  private final History history;
  private final SimCluster cluster;
  private String asked = "";
  private long position;
  private long highWatermark;
  private long lastStableOffset = -1;
  private boolean stopped;

  /**
   * @param recordsBatches whether the history gets the batches too, for a scan of the whole log
   */
  SimReader(
      String name, TopicPartition partition, Isolation isolation, boolean recordsBatches, Sim sim) {
    this.name = name;
    this.partition = partition;
    this.isolation = isolation;
    this.recordsBatches = recordsBatches;
    this.client = new SimClient(name, sim.cluster()::route, sim.scheduler());
    this.scheduler = sim.scheduler();
    this.history = sim.history();
    this.cluster = sim.cluster();
  }

  void start() {
    fetch();
  }

  void stop() {
    stopped = true;
  }

  /** True once everything is stable and read. */
  boolean isAtEnd() {
    return lastStableOffset == highWatermark && position == highWatermark;
  }

  @Override
  public String toString() {
    return "%s of %s at %d, last stable offset %d, high watermark %d"
        .formatted(name, partition, position, lastStableOffset, highWatermark);
  }

  private void fetch() {
    if (!stopped) {
      // A new leader learns only by and by how far its predecessor had come.
      asked = cluster.leaderOf(partition);
      client.call(
          ApiKey.FETCH,
          FETCH_VERSION,
          Requests.fetch(partition, position, isolation),
          this::onAnswer);
    }
  }

  private void onAnswer(@Nullable WireMessage message) {
    if (stopped) {
      return;
    }
    if (!(message instanceof FetchResponse response)) {
      later();
      return;
    }
    WireError error = WireError.of(response.errorCode);
    if (error == WireError.NONE) {
      FetchResponse.PartitionData data = response.responses.get(0).partitions.get(0);
      error = WireError.of(data.errorCode);
      if (error == WireError.NONE) {
        take(data);
      }
    }
    if (error == WireError.NONE) {
      scheduler.run(this::fetch);
    } else {
      Invariant.check(
          error.isRetriable() && error != WireError.OFFSET_OUT_OF_RANGE,
          "%s was answered %s",
          this,
          error);
      later();
    }
  }

  private void later() {
    var unused = scheduler.after(RETRY_MS, this::fetch);
  }

  private void take(FetchResponse.PartitionData data) {
    highWatermark = data.highWatermark;
    lastStableOffset = data.lastStableOffset;
    history.add(
        new Event.Watermarks(
            name + "@" + asked, partition, data.lastStableOffset, data.highWatermark));
    AbortedFilter filter = new AbortedFilter(data.abortedTransactions);
    long before = position;
    FetchedBatches.walk(
        data,
        position,
        batch -> {
          take(batch, filter);
          position = batch.nextOffset();
        });
    if (position != before) {
      history.add(new Event.Passed(name, isolation, partition, position));
    }
  }

  private void take(BatchView batch, AbortedFilter filter) {
    long limit = isolation == Isolation.READ_COMMITTED ? lastStableOffset : highWatermark;
    Invariant.check(
        batch.lastOffset() < limit,
        "a fetch returned offset %d, its limit is %d",
        batch.lastOffset(),
        limit);
    if (batch.isControl()) {
      filter.onMarker(batch);
      return;
    }
    if (recordsBatches) {
      history.add(
          new Event.Batch(
              partition,
              batch.baseOffset(),
              batch.producerId(),
              batch.producerEpoch(),
              batch.baseSequence(),
              batch.recordCount()));
    }
    if (isolation == Isolation.READ_COMMITTED && filter.isAborted(batch)) {
      return;
    }
    FetchedBatches.records(
        batch,
        position,
        (offset, value) -> history.add(new Event.Read(name, isolation, partition, offset, value)));
  }
}
