package io.fencepost.txn.shard;

import io.fencepost.broker.producer.TxnGuard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a task wants: records to append as one batch, and what to run once they are applied.
 *
 * @param records empty if nothing is to be written
 * @param producerId whose transaction the records belong to, or -1
 * @param producerEpoch the epoch that goes with the producer id
 * @param guard makes the append fail with INVALID_TXN_STATE if a marker came after it was given
 * @param answer runs outside of the lock
 * @param hold when the key becomes free for the next task
 */
public record ShardDecision(
    List<NewRecord> records,
    long producerId,
    short producerEpoch,
    @Nullable TxnGuard guard,
    Runnable answer,
    Hold hold) {

  /** When the key becomes free. */
  public enum Hold {
    /** As soon as the records are applied; at once if there are none. */
    UNTIL_APPLIED,
    /** When {@link ShardRuntime#continueHeld} is followed by a decision that frees it. */
    UNTIL_CONTINUED,
    /**
     * As soon as the log has taken the records: the answer and the next task of this key do not
     * wait for the disk. Only for records that repeat what earlier ones make certain.
     */
    UNTIL_APPENDED
  }

  public ShardDecision {
    records = List.copyOf(records);
  }

  /** Nothing to write. */
  public static ShardDecision answer(Runnable answer) {
    return new ShardDecision(List.of(), -1, (short) -1, null, answer, Hold.UNTIL_APPLIED);
  }

  /** Appends the records, applies them, then answers. */
  public static ShardDecision write(List<NewRecord> records, Runnable answer) {
    return new ShardDecision(records, -1, (short) -1, null, answer, Hold.UNTIL_APPLIED);
  }

  /** The same with records that belong to a producer's open transaction. */
  public ShardDecision inTransaction(
      long producerId, short producerEpoch, @Nullable TxnGuard guard) {
    return new ShardDecision(records, producerId, producerEpoch, guard, answer, hold);
  }

  public ShardDecision hold(Hold hold) {
    return new ShardDecision(records, producerId, producerEpoch, guard, answer, hold);
  }
}
