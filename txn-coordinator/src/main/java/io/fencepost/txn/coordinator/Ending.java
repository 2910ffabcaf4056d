package io.fencepost.txn.coordinator;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.txn.MarkerPlan;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnState;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Brings the markers of one prepared transaction to all its partitions at once, and repeats what
 * failed until it is done or the broker stops. Thread-safe.
 */
final class Ending {
  private static final long RETRY_MS = 50;

  private final TxnEntry prepared;
  private final MarkerRequest marker;
  private final MarkerTarget target;
  private final Scheduler scheduler;
  private final BooleanSupplier isStopped;
  private final Consumer<WireError> done;
  private final MarkerPlan plan;

  /**
   * @param done runs once, with NONE when nothing is owed any more, or NOT_COORDINATOR
   */
  Ending(
      TxnEntry prepared,
      int coordinatorEpoch,
      MarkerTarget target,
      Scheduler scheduler,
      BooleanSupplier isStopped,
      Consumer<WireError> done) {
    this.prepared = prepared;
    this.marker =
        new MarkerRequest(
            prepared.producer().producerId(),
            prepared.producer().epoch(),
            prepared.state() == TxnState.PREPARE_COMMIT,
            coordinatorEpoch,
            prepared.clientVersion());
    this.target = target;
    this.scheduler = scheduler;
    this.isStopped = isStopped;
    this.done = done;
    this.plan = new MarkerPlan(prepared.partitions());
  }

  void start() {
    if (prepared.partitions().isEmpty()) {
      done.accept(WireError.NONE);
    } else {
      send();
    }
  }

  private void send() {
    if (isStopped.getAsBoolean()) {
      done.accept(WireError.NOT_COORDINATOR);
      return;
    }
    Set<TopicPartition> owed;
    synchronized (this) {
      owed = plan.takeOwed();
    }
    for (TopicPartition partition : owed) {
      target.write(partition, marker, error -> onAnswer(partition, error));
    }
  }

  private void onAnswer(TopicPartition partition, WireError error) {
    boolean isDone;
    boolean isToBeRepeated;
    synchronized (this) {
      plan.answered(partition, error);
      isDone = plan.isDone();
      isToBeRepeated = plan.isToBeRepeated();
    }
    if (isDone) {
      done.accept(WireError.NONE);
    } else if (isToBeRepeated) {
      scheduler.after(RETRY_MS, this::send);
    }
  }
}
