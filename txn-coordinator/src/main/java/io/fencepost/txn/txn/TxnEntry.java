package io.fencepost.txn.txn;

import io.fencepost.broker.wire.TopicPartition;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * All that is known of one transactional id. Immutable.
 *
 * @param producer who may use the id; in a prepared state, the identity that the markers carry
 * @param last whom a lost answer may have left behind: its InitProducerId or EndTxn is a retry, not
 *     a zombie's; NONE if everybody older is a zombie. Always one epoch before the producer, or the
 *     last usable epoch of an older producer id.
 * @param nextProducerId in a prepared state at the last epoch, the id that follows; else -1
 * @param partitions those that owe a marker or will; empty in the idle states
 * @param startMs when the transaction began, or -1
 * @param clientVersion the protocol generation of the last end or begin: 0, or 2 (KIP-890 part 2)
 */
public record TxnEntry(
    String transactionalId,
    ProducerIdentity producer,
    ProducerIdentity last,
    long nextProducerId,
    int timeoutMs,
    TxnState state,
    SortedSet<TopicPartition> partitions,
    long startMs,
    long updatedMs,
    int clientVersion) {

  public TxnEntry {
    partitions = Collections.unmodifiableSortedSet(new TreeSet<>(partitions));
  }

  /** An id that nobody has used. */
  static TxnEntry fresh(String transactionalId, long producerId, int timeoutMs, long nowMs) {
    return new TxnEntry(
        transactionalId,
        new ProducerIdentity(producerId, (short) 0),
        ProducerIdentity.NONE,
        -1,
        timeoutMs,
        TxnState.EMPTY,
        Collections.emptySortedSet(),
        -1,
        nowMs,
        0);
  }

  TxnEntry initialised(EpochRule.Change change, int newTimeoutMs, long nowMs) {
    return new TxnEntry(
        transactionalId,
        change.producer(),
        change.last(),
        -1,
        newTimeoutMs,
        TxnState.EMPTY,
        Collections.emptySortedSet(),
        -1,
        nowMs,
        clientVersion);
  }

  TxnEntry with(SortedSet<TopicPartition> more, int version, long nowMs) {
    TreeSet<TopicPartition> all = new TreeSet<>(partitions);
    all.addAll(more);
    return new TxnEntry(
        transactionalId,
        producer,
        last,
        -1,
        timeoutMs,
        TxnState.ONGOING,
        all,
        state == TxnState.ONGOING ? startMs : nowMs,
        nowMs,
        version);
  }

  TxnEntry prepared(boolean commit, EpochRule.Change change, int version, long nowMs) {
    return new TxnEntry(
        transactionalId,
        change.producer(),
        change.last(),
        change.nextProducerId(),
        timeoutMs,
        commit ? TxnState.PREPARE_COMMIT : TxnState.PREPARE_ABORT,
        partitions,
        startMs < 0 ? nowMs : startMs,
        nowMs,
        version);
  }

  TxnEntry completed(EpochRule.Change change, long nowMs) {
    return new TxnEntry(
        transactionalId,
        change.producer(),
        change.last(),
        -1,
        timeoutMs,
        state == TxnState.PREPARE_COMMIT ? TxnState.COMPLETE_COMMIT : TxnState.COMPLETE_ABORT,
        Collections.emptySortedSet(),
        startMs,
        nowMs,
        clientVersion);
  }

  /** When an ongoing transaction is aborted by its coordinator. */
  public long deadlineMs() {
    return startMs + timeoutMs;
  }
}
