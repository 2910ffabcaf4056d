package io.fencepost.txn.txn;

import io.fencepost.broker.testing.Rule;

/**
 * Which identity follows which. Clients see epochs 0 to 32766; 32767 is only ever seen in markers.
 * Pure functions, used by {@link TxnMachine}.
 *
 * <pre>
 * why                              producer             last
 * InitProducerId by a newcomer     epoch + 1            none
 * InitProducerId by the owner      epoch + 1            owner      (KIP-360)
 * either at the last epoch         fresh id, epoch 0    none / owner
 * end by EndTxn up to v4           as is                as is
 * end by EndTxn v5                 epoch + 1            owner      (KIP-890)
 * timeout                          epoch + 1            owner      (may go on by InitProducerId)
 * both at the last epoch           32767 for the markers, then fresh id, epoch 0
 * InitProducerId on top            epoch + 1            none
 * </pre>
 */
final class EpochRule {
  /** The last epoch that a client may hold. */
  static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private EpochRule() {}

  /**
   * @param nextProducerId the id to switch to when the transaction is complete, or -1
   */
  record Change(ProducerIdentity producer, ProducerIdentity last, long nextProducerId) {}

  static boolean isUsedUp(ProducerIdentity producer) {
    return producer.epoch() >= LAST_EPOCH && Rule.EPOCHS_END.holds();
  }

  /** A newcomer fences all others; the owner asks for a clean slate. */
  static Change initialise(ProducerIdentity current, boolean byOwner, IdSource ids) {
    ProducerIdentity last = byOwner ? current : ProducerIdentity.NONE;
    ProducerIdentity next =
        isUsedUp(current) ? new ProducerIdentity(ids.nextId(), (short) 0) : current.next();
    return new Change(next, last, -1);
  }

  /** A client ends its transaction. */
  static Change end(TxnEntry entry, int version, IdSource ids) {
    ProducerIdentity current = entry.producer();
    if (version < 2) {
      return new Change(current, entry.last(), -1);
    }
    return new Change(current.next(), current, isUsedUp(current) ? ids.nextId() : -1);
  }

  /** The owner was too slow: fenced everywhere, but it may ask for the identity that it missed. */
  static Change expel(ProducerIdentity current, IdSource ids) {
    return new Change(current.next(), current, isUsedUp(current) ? ids.nextId() : -1);
  }

  /** A newcomer aborts over the head of the owner. */
  static Change fence(ProducerIdentity current) {
    return new Change(current.next(), ProducerIdentity.NONE, -1);
  }

  /** The markers are in. */
  static Change complete(TxnEntry entry) {
    if (entry.nextProducerId() < 0) {
      return new Change(entry.producer(), entry.last(), -1);
    }
    ProducerIdentity lastSeen = new ProducerIdentity(entry.producer().producerId(), LAST_EPOCH);
    return new Change(new ProducerIdentity(entry.nextProducerId(), (short) 0), lastSeen, -1);
  }
}
