package io.fencepost.txn.group;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.ProducerStates;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.shard.CommittedLog;
import io.fencepost.txn.shard.ShardLog;
import io.fencepost.txn.shard.ShardLogs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One internal partition in memory; what is appended is committed a little later, in order. */
public final class SimShardLog implements ShardLog, ShardLogs, CommittedLog {
  private final Scheduler scheduler;
  private final List<ByteBuffer> batches = new ArrayList<>();
  private Runnable listener = () -> {};
  private long endOffset;
  private long highWatermark;

  /** How many guards were given back. */
  public int droppedGuards;

  /** Appends fail with this error while it is not NONE. */
  WireError failure = WireError.NONE;

  /** How long a commit takes. */
  long commitDelayMs = 2;

  SimShardLog(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public long startOffset() {
    return 0;
  }

  @Override
  public long highWatermark() {
    return highWatermark;
  }

  @Override
  public long endOffset() {
    return endOffset;
  }

  @Override
  public boolean holds(int leaderEpoch, long nextOffset) {
    return nextOffset <= endOffset;
  }

  @Override
  public CommittedLog committed() {
    return this;
  }

  @Override
  public int leaderEpoch() {
    return 0;
  }

  @Override
  public long termStart() {
    return 0;
  }

  @Override
  public ByteBuffer read(long fromOffset, int maxBytes) {
    ByteBuffer out = ByteBuffer.allocate(maxBytes);
    for (ByteBuffer batch : batches) {
      BatchView view = new BatchView().wrap(batch, 0);
      if (view.nextOffset() > fromOffset
          && view.nextOffset() <= highWatermark
          && out.remaining() >= view.sizeBytes()) {
        out.put(batch.duplicate());
      }
    }
    return out.flip();
  }

  @Override
  public Runnable append(ByteBuffer batch, @Nullable TxnGuard guard, Appended done) {
    if (failure != WireError.NONE) {
      WireError error = failure;
      return () -> scheduler.run(() -> done.done(error, -1));
    }
    long base = put(batch);
    return () ->
        scheduler.after(
            commitDelayMs,
            () -> {
              commit();
              done.done(WireError.NONE, base);
            });
  }

  /** Ends a producer's transaction here. */
  public void mark(long producerId, short producerEpoch, boolean commit) {
    put(new ControlMarker(commit, 0).toBatch(producerId, producerEpoch, 0));
    commit();
  }

  /** A restarted broker has no listener of the former life. */
  void forgetListeners() {
    listener = () -> {};
  }

  private long put(ByteBuffer batch) {
    ByteBuffer copy = ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
    BatchView view = new BatchView().wrap(copy, 0);
    view.assign(endOffset, 0);
    batches.add(copy);
    long base = endOffset;
    endOffset = view.nextOffset();
    return base;
  }

  private void commit() {
    highWatermark = endOffset;
    listener.run();
  }

  @Override
  public void onCommit(Runnable next) {
    listener = next;
  }

  /** Nobody compacts it. */
  @Override
  public void boundCompaction(LongSupplier bound) {}

  @Override
  public Uuid topicId() {
    return new Uuid(1, 1);
  }

  @Override
  public @Nullable TxnGuard guardFor(long producerId, short producerEpoch) {
    ProducedBatch batch = new ProducedBatch(producerId, producerEpoch, -1, -1, true);
    return new ProducerStates().guardFor(batch, false, 0);
  }

  @Override
  public void dropGuard(TxnGuard guard) {
    droppedGuards++;
  }

  @Override
  public int partitionCount(String topic) {
    return 1;
  }

  @Override
  public @Nullable CommittedLog copy(TopicPartition topicPartition) {
    return this;
  }

  @Override
  public @Nullable ShardLog find(TopicPartition topicPartition) {
    return this;
  }
}
