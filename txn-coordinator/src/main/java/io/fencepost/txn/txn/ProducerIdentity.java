package io.fencepost.txn.txn;

/** A producer id with its epoch: who a batch or a request comes from. */
public record ProducerIdentity(long producerId, short epoch) {
  /** Nobody: a new producer that has no identity yet. */
  public static final ProducerIdentity NONE = new ProducerIdentity(-1, (short) -1);

  public boolean isNone() {
    return producerId == -1 && epoch == -1;
  }

  /** The same producer id, one epoch later. */
  public ProducerIdentity next() {
    return new ProducerIdentity(producerId, (short) (epoch + 1));
  }

  @Override
  public String toString() {
    return producerId + "/" + epoch;
  }
}
