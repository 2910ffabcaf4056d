package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.replica.Effects;
import io.fencepost.broker.replica.LeaderTerm;
import io.fencepost.broker.replica.PartitionGate;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A partition that this broker leads as the log of a shard, in one term. */
final class GateLog implements ShardLog {
  private final GateCopy copy;
  private final LeaderTerm term;

  GateLog(GateCopy copy, LeaderTerm term) {
    this.copy = copy;
    this.term = term;
  }

  @Override
  public CommittedLog committed() {
    return copy;
  }

  @Override
  public int leaderEpoch() {
    return term.leaderEpoch();
  }

  @Override
  public long termStart() {
    return term.startOffset();
  }

  @Override
  public Runnable append(ByteBuffer batch, @Nullable TxnGuard guard, Appended done) {
    Effects effects =
        gate()
            .appendInternal(
                batch,
                term.leaderEpoch(),
                guard,
                result -> done.done(result.error(), result.baseOffset()));
    return effects::run;
  }

  @Override
  public @Nullable TxnGuard guardFor(long producerId, short producerEpoch) {
    return gate()
        .guardFor(
            new ProducedBatch(
                producerId, producerEpoch, BatchView.NO_SEQUENCE, BatchView.NO_SEQUENCE, true),
            false);
  }

  @Override
  public void dropGuard(TxnGuard guard) {
    gate().dropGuard(guard);
  }

  private PartitionGate gate() {
    return copy.gate();
  }
}
