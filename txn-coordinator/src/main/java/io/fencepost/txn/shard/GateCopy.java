package io.fencepost.txn.shard;

import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.Uuid;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** A partition of this broker as a log to apply, through all its terms. */
final class GateCopy implements CommittedLog {
  private final PartitionGate gate;
  private volatile Runnable listener = () -> {};

  GateCopy(PartitionGate gate) {
    this.gate = gate;
    // Once and for all terms: the gate forgets no listener.
    gate.addListener(highWatermark -> listener.run());
  }

  PartitionGate gate() {
    return gate;
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
  public long endOffset() {
    return gate.logEndOffset();
  }

  @Override
  public boolean holds(int leaderEpoch, long nextOffset) {
    return gate.holds(leaderEpoch, nextOffset);
  }

  @Override
  public ByteBuffer read(long fromOffset, int maxBytes) {
    return gate.read(fromOffset, maxBytes);
  }

  @Override
  public void onCommit(Runnable next) {
    listener = next;
  }

  @Override
  public void boundCompaction(LongSupplier bound) {
    gate.boundCompaction(bound);
  }
}
