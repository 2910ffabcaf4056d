package io.fencepost.broker.testing;

import org.jspecify.annotations.Nullable;

/**
 * A rule of the broker or its coordinators that a test can switch off, to see that somebody
 * notices. All hold unless a test says otherwise; nothing else may: there is no setting, no
 * property and no environment for it. One at a time, in the whole process, so that a test that does
 * this must be alone.
 */
public enum Rule {
  /** Only the owner of the epoch may end a transaction. */
  END_BY_OWN_EPOCH,
  /** A marker that is written again succeeds. */
  MARKER_MAY_REPEAT,
  /** Before epochs run out another producer id is handed out. */
  EPOCHS_END,
  /** A reader is told of every aborted transaction in its range. */
  ABORTED_LIST_IS_WHOLE,
  /** A reader of committed records gets nothing at or behind the last stable offset. */
  READS_END_AT_STABLE_OFFSET,
  /** A coordinator that takes over knows the transactions that were open. */
  OPEN_SURVIVES_FAILOVER,
  /** A marker ends a transaction of its own epoch, not one of its producer's later epochs. */
  MARKER_HAS_EPOCH,
  /** A transaction is open until its marker is committed. */
  OPEN_UNTIL_MARKER_IS_SAFE,
  /** A member of a group stages offsets in its own generation only. */
  GENERATION_IS_CHECKED,
  /** A retry is known again after a restart. */
  SEQUENCES_SURVIVE_RESTART,
  /** A fetch from inside a batch gets the batch. */
  BATCH_HOLDS_ITS_OFFSETS,
  /** No partition joins a transaction that is ending. */
  NOBODY_JOINS_AN_ENDING,
  /** Where the flush policy says so, an acknowledged record is on the disk. */
  FORCED_BEFORE_ACKNOWLEDGED,
  /** A marker is written once the decision is durable. */
  DECIDED_BEFORE_MARKED;

  /** Plain, as it is read on hot paths: who switches starts its threads afterwards. */
  private static @Nullable Rule broken;

  /** Whether it holds, as it does outside of tests. */
  public boolean holds() {
    return broken != this;
  }

  /** Runs this without the rule. */
  public void without(Runnable work) {
    broken = this;
    try {
      work.run();
    } finally {
      broken = null;
    }
  }
}
