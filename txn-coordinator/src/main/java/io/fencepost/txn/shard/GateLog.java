package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.replica.Effects;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.Uuid;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A partition of this broker as the log of a shard. */
final class GateLog implements ShardLog {
  private final PartitionGate gate;

  GateLog(PartitionGate gate) {
    this.gate = gate;
  }

  boolean isOver(PartitionGate other) {
    return gate == other;
  }

  @Override
  public Uuid topicId() {
    return gate.topicId();
  }

  @Override
  public long startOffset() {
    return gate.logStartOffset();
  }

  @Override
  public long highWatermark() {
    return gate.highWatermark();
  }

  @Override
  public int leaderEpoch() {
    return gate.leaderEpoch();
  }

  @Override
  public ByteBuffer read(long fromOffset, int maxBytes) {
    return gate.read(fromOffset, maxBytes);
  }

  @Override
  public Runnable append(ByteBuffer batch, @Nullable TxnGuard guard, Appended done) {
    Effects effects =
        gate.appendInternal(batch, guard, result -> done.done(result.error(), result.baseOffset()));
    return effects::run;
  }

  @Override
  public @Nullable TxnGuard guardFor(long producerId, short producerEpoch) {
    return gate.guardFor(
        new ProducedBatch(
            producerId, producerEpoch, BatchView.NO_SEQUENCE, BatchView.NO_SEQUENCE, true),
        false);
  }

  @Override
  public void dropGuard(TxnGuard guard) {
    gate.dropGuard(guard);
  }

  @Override
  public void onCommit(Runnable listener) {
    gate.addListener(highWatermark -> listener.run());
  }

  @Override
  public void boundCompaction(LongSupplier bound) {
    gate.boundCompaction(bound);
  }
}
