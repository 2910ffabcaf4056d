package io.fencepost.txn.coordinator;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.txn.MarkerPlan;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnState;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Brings the markers of one prepared transaction to all its partitions at once, and repeats what
 * failed until it is done or the broker stops: soon at first, then ever less often, up to every
 * {@value #LONGEST_PAUSE_MS} ms. An operator is told when it does not work at once, when it goes on
 * not to work, and when it has worked after all. Thread-safe.
 */
final class Ending {
  static final long FIRST_PAUSE_MS = 50;
  static final long LONGEST_PAUSE_MS = 5_000;

  /** About how long the same trouble is not told again. */
  static final long NOTICE_MS = 60_000;

  /** What an ending borrows from its coordinator. */
  record Parts(
      MarkerTarget target,
      Scheduler scheduler,
      BooleanSupplier isStopped,
      Consumer<String> notices) {}

  private final TxnEntry prepared;
  private final MarkerRequest marker;
  private final Parts parts;
  private final Consumer<WireError> done;
  private final MarkerPlan plan;
  private long pauseMs = FIRST_PAUSE_MS;
  private long untoldMs;
  private boolean hasFailed;

  /**
   * @param done runs once, with NONE when nothing is owed any more, or NOT_COORDINATOR
   */
  Ending(TxnEntry prepared, int coordinatorEpoch, Parts parts, Consumer<WireError> done) {
    this.prepared = prepared;
    this.marker =
        new MarkerRequest(
            prepared.producer().producerId(),
            prepared.producer().epoch(),
            prepared.state() == TxnState.PREPARE_COMMIT,
            coordinatorEpoch,
            prepared.clientVersion());
    this.parts = parts;
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
    if (parts.isStopped.getAsBoolean()) {
      done.accept(WireError.NOT_COORDINATOR);
      return;
    }
    Set<TopicPartition> owed;
    synchronized (this) {
      owed = plan.takeOwed();
    }
    for (TopicPartition partition : owed) {
      parts.target.write(partition, marker, error -> onAnswer(partition, error));
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
      if (hasFailed) {
        parts.notices.accept("Ended " + what() + " after all");
      }
      done.accept(WireError.NONE);
    } else if (isToBeRepeated) {
      repeat();
    }
  }

  /** Only the last answer of a round comes here, so nobody else does at the same time. */
  private void repeat() {
    long waitMs = pauseMs;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    untoldMs += waitMs;
    if (!hasFailed || untoldMs >= NOTICE_MS) {
      hasFailed = true;
      untoldMs = 0;
      parts.notices.accept(trouble());
    }
    var unused = parts.scheduler.after(waitMs, this::send);
  }

  private synchronized String trouble() {
    Map<TopicPartition, WireError> failed = plan.failed();
    return "Cannot end "
        + what()
        + " yet, and its readers wait: "
        + failed
        + "; it is tried again until the partitions take the marker or their topic is deleted";
  }

  private String what() {
    return "the "
        + (marker.commit() ? "commit" : "abort")
        + " of transactional id "
        + prepared.transactionalId()
        + " (producer "
        + prepared.producer()
        + ")";
  }
}
