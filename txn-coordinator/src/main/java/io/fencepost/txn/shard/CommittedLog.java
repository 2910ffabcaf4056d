package io.fencepost.txn.shard;

import io.fencepost.broker.wire.Uuid;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * What is committed of an internal partition, as whoever applies it to rows sees it, on the leader
 * and on followers alike. At most one applies it at a time. Thread-safe.
 */
public interface CommittedLog {
  /** Tells this topic from an earlier one of the same name. */
  Uuid topicId();

  long startOffset();

  /** After a restart it may be below what was committed before; it comes back. */
  long highWatermark();

  /** Where the log ends here, committed or not. */
  long endOffset();

  /**
   * Whether the batch of this leader epoch that ended at this offset is, or was until it was
   * compacted, in this log: not so once it was truncated away.
   */
  boolean holds(int leaderEpoch, long nextOffset);

  /** Whole batches from this offset on, all below the high watermark; empty at the end. */
  ByteBuffer read(long fromOffset, int maxBytes);

  /**
   * The listener runs, under no lock, whenever the high watermark has moved. It replaces the one
   * before: that one's owner applies nothing any more.
   */
  void onCommit(Runnable listener);

  /**
   * Nothing at or above what the supplier says is compacted; it is asked, under no lock, before
   * each run. Replaces the bound before.
   */
  void boundCompaction(LongSupplier bound);
}
