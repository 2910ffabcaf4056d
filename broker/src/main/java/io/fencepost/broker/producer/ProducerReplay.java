package io.fencepost.broker.producer;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.testing.Rule;
import org.jspecify.annotations.Nullable;

/** Tells the producers of a partition what stands in its log already. */
public final class ProducerReplay {
  private ProducerReplay() {}

  /**
   * Applies one batch, a control batch with all its bytes; returns the transaction that it ended,
   * if any.
   *
   * @param nowMs when its producer counts as seen
   */
  public static @Nullable CompletedTxn apply(ProducerStates states, BatchView batch, long nowMs) {
    if (!batch.hasProducerId()) {
      return null;
    }
    if (!batch.isControl()) {
      ProducedBatch produced = ProducedBatch.of(batch);
      states.apply(
          Rule.SEQUENCES_SURVIVE_RESTART.holds() ? produced : produced.withoutSequence(),
          batch.baseOffset(),
          batch.maxTimestamp(),
          nowMs);
      return null;
    }
    Marker marker = marker(batch);
    return marker == null ? null : states.applyMarker(marker, batch.baseOffset(), nowMs);
  }

  /**
   * What the rules would have said to the batch in front of its append; null if nothing is wrong
   * with it. Gaps in the sequence are not judged: the producer may have been forgotten meanwhile,
   * which the log does not tell.
   */
  public static @Nullable String objection(ProducerStates states, BatchView batch) {
    if (!batch.hasProducerId()) {
      return null;
    }
    if (batch.isControl()) {
      Marker marker = marker(batch);
      return marker == null ? null : states.checkMarker(marker, 0).sentence();
    }
    ProducedBatch produced = ProducedBatch.of(batch);
    // Every transaction that is in the log was let in by the coordinator.
    TxnGuard guard = produced.isTransactional() ? states.guardFor(produced, false, 0) : null;
    AppendVerdict verdict =
        produced.hasSequence()
            ? states.check(produced, guard)
            : states.checkInternal(produced, guard);
    if (verdict instanceof AppendVerdict.Duplicate duplicate) {
      return "the same batch of producer %d, sequence %d, stands at offset %d already"
          .formatted(produced.producerId(), produced.baseSequence(), duplicate.baseOffset());
    }
    return verdict instanceof AppendVerdict.Gap ? null : verdict.sentence();
  }

  private static @Nullable Marker marker(BatchView batch) {
    ControlMarker control = ControlMarker.of(batch);
    return control == null
        ? null
        : new Marker(
            batch.producerId(),
            batch.producerEpoch(),
            control.commit(),
            control.coordinatorEpoch());
  }
}
