package io.fencepost.broker.replica;

import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.producer.CompletedTxn;
import io.fencepost.broker.producer.ProducerStates;
import org.jspecify.annotations.Nullable;

/** From the end of a transaction to its row in the aborted index. */
final class Aborts {
  private Aborts() {}

  /**
   * The row; null if nothing ended or it was committed.
   *
   * @param producers as they are with the marker
   */
  static @Nullable AbortedTxn of(@Nullable CompletedTxn completed, ProducerStates producers) {
    if (completed == null || completed.isCommitted()) {
      return null;
    }
    long stable =
        producers.firstUndecidedExcept(completed.firstOffset(), completed.markerOffset() + 1);
    return new AbortedTxn(
        completed.producerId(), completed.firstOffset(), completed.markerOffset(), stable);
  }
}
