package io.fencepost.txn.shard;

import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The internal partition of a shard, as its runtime sees it. Thread-safe. */
public interface ShardLog {
  /** Tells this topic from an earlier one of the same name. */
  Uuid topicId();

  long startOffset();

  long highWatermark();

  int leaderEpoch();

  /** Whole batches from this offset on, all below the high watermark; empty at the end. */
  ByteBuffer read(long fromOffset, int maxBytes);

  /**
   * Appends one batch. The callback runs when it is committed, after the commit listeners, or when
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

  /** The listener runs, under no lock, whenever the high watermark has moved. */
  void onCommit(Runnable listener);

  /**
   * Nothing at or above what the supplier says is compacted; it is asked, under no lock, before
   * each run.
   */
  void boundCompaction(LongSupplier bound);

  /** The fate of an append. */
  @FunctionalInterface
  interface Appended {
    /** The base offset is -1 unless the error is NONE. */
    void done(WireError error, long baseOffset);
  }
}
