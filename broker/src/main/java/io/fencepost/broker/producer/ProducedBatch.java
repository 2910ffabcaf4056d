package io.fencepost.broker.producer;

import io.fencepost.broker.batch.BatchView;

/**
 * What the header of a batch with a producer id says about its producer.
 *
 * <p>{@code lastSequence} is inclusive and may be smaller than {@code baseSequence} when the batch
 * crosses the wrap.
 */
public record ProducedBatch(
    long producerId, short epoch, int baseSequence, int lastSequence, boolean isTransactional) {

  /** Of a batch that has a producer id. */
  public static ProducedBatch of(BatchView batch) {
    return new ProducedBatch(
        batch.producerId(),
        batch.producerEpoch(),
        batch.baseSequence(),
        batch.lastSequence(),
        batch.isTransactional());
  }

  /** The same as a coordinator would write it. */
  ProducedBatch withoutSequence() {
    return new ProducedBatch(
        producerId, epoch, BatchView.NO_SEQUENCE, BatchView.NO_SEQUENCE, isTransactional);
  }

  /** Coordinators write under a producer's id without sequences. */
  public boolean hasSequence() {
    return baseSequence >= 0;
  }
}
