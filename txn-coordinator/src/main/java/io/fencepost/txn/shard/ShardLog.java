package io.fencepost.txn.shard;

import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The internal partition of a shard during one term of this broker as its leader, as the shard's
 * runtime sees it. Once the term is over, appends are answered with NOT_LEADER_OR_FOLLOWER.
 * Thread-safe.
 */
public interface ShardLog {
  /** What there is to apply. */
  CommittedLog committed();

  /** The epoch of this term. */
  int leaderEpoch();

  /**
   * Where the log ended when the term began: nothing may be decided before all below it is
   * committed and applied.
   */
  long termStart();

  /**
   * Appends one batch. The callback runs when it is committed, after the commit listener, or when
   * it has failed; never inside this call.
   *
   * @return what the caller has to run after it has released its locks
   */
  Runnable append(ByteBuffer batch, @Nullable TxnGuard guard, Appended done);

  /**
   * What ties a coordinator's word about this producer's transaction to the append that follows;
   * null if the transaction is open here already. Ask for it before asking the coordinator.
   */
  @Nullable TxnGuard guardFor(long producerId, short producerEpoch);

  /** The coordinator will never let in who asked for this guard. */
  void dropGuard(TxnGuard guard);

  /** The fate of an append. */
  @FunctionalInterface
  interface Appended {
    /** The base offset is -1 unless the error is NONE. */
    void done(WireError error, long baseOffset);
  }
}
