package io.fencepost.broker.producer;

/**
 * Ties the coordinator's word that a transaction covers this partition to the append that follows.
 *
 * <p>Handed out by {@link ProducerStates#guardFor} before the coordinator is asked, and shown again
 * with the batch. A marker in between makes it worthless, so that a late batch never opens a
 * transaction which nobody will end (KIP-890).
 */
public final class TxnGuard {
  private final long producerId;
  private final short epoch;
  private final boolean startsAtZero;
  private final long createdMs;

  /** The earliest first sequence that was ever shown for this transaction. */
  private int earliestSequence;

  TxnGuard(long producerId, short epoch, int sequence, boolean startsAtZero, long createdMs) {
    this.producerId = producerId;
    this.epoch = epoch;
    this.earliestSequence = sequence;
    this.startsAtZero = startsAtZero;
    this.createdMs = createdMs;
  }

  public long producerId() {
    return producerId;
  }

  public short epoch() {
    return epoch;
  }

  boolean startsAtZero() {
    return startsAtZero;
  }

  long createdMs() {
    return createdMs;
  }

  int earliestSequence() {
    return earliestSequence;
  }

  void shown(int sequence) {
    earliestSequence = Sequences.earlier(earliestSequence, sequence);
  }
}
