package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.producer.AppendVerdict;
import io.fencepost.broker.producer.Marker;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.testing.BrokerSteps.Step;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a leader writes: producers' batches, coordinators' batches, markers. Under the same lock as
 * the partition.
 */
final class LeaderAppends {
  private final Partition partition;
  private final Clock clock;
  private final BrokerSteps steps;
  private final BatchView view = new BatchView();

  LeaderAppends(Partition partition, Clock clock, BrokerSteps steps) {
    this.partition = partition;
    this.clock = clock;
    this.steps = steps;
  }

  private PartitionLog log() {
    return partition.log();
  }

  /** Writes a producer's batch, which {@link RecordsCheck} has let through. */
  void append(AppendRequest request, AppendCallback done, Effects effects) {
    ByteBuffer records = Objects.requireNonNull(request.records());
    view.wrap(records, records.position());
    ProducedBatch batch = view.hasProducerId() ? ProducedBatch.of(view) : null;
    if (refusesAll(request.acks(), done, effects)) {
      return;
    }
    AppendVerdict verdict =
        batch == null
            ? AppendVerdict.Accept.ACCEPT
            : partition.producers().check(batch, request.guard());
    if (verdict == AppendVerdict.Accept.ACCEPT) {
      write(Wish.of(request), records, batch, done, effects);
    } else if (verdict instanceof AppendVerdict.Duplicate duplicate) {
      answerDuplicate(duplicate, Wish.of(request), done, effects);
    } else {
      refuse(verdict.error(), sentence(verdict), done, effects);
    }
  }

  /** Who is to be answered when. */
  private record Wish(short acks, int timeoutMs, boolean isInternal) {
    static final Wish OF_COORDINATOR =
        new Wish(AppendRequest.ACKS_ALL, Partition.INTERNAL_TIMEOUT_MS, true);

    static Wish of(AppendRequest request) {
      return new Wish(request.acks(), request.timeoutMs(), false);
    }
  }

  private boolean refusesAll(short acks, AppendCallback done, Effects effects) {
    String brokenBy = partition.brokenBy();
    if (!partition.isLeader()) {
      refuse(WireError.NOT_LEADER_OR_FOLLOWER, partition.whyNotLeader(), done, effects);
    } else if (brokenBy != null) {
      refuse(WireError.KAFKA_STORAGE_ERROR, brokenBy, done, effects);
    } else if (acks == AppendRequest.ACKS_ALL && partition.isUnderMinIsr()) {
      refuse(WireError.NOT_ENOUGH_REPLICAS, partition.whyTooFew(), done, effects);
    } else {
      return false;
    }
    return true;
  }

  private void write(
      Wish wish,
      ByteBuffer records,
      @Nullable ProducedBatch batch,
      AppendCallback done,
      Effects effects) {
    boolean isAppendTime = partition.config().appendTime();
    long baseOffset = log().endOffset();
    view.assign(baseOffset, partition.leaderEpoch());
    if (isAppendTime) {
      view.assignAppendTime(clock.wallMillis());
    }
    long timestamp = view.maxTimestamp();
    long neededEnd = view.nextOffset();
    try {
      steps.pass(Step.BEFORE_APPEND, partition.topicPartition());
      log().append(records);
    } catch (DiskException e) {
      partition.onAppendRefused();
      refuse(WireError.KAFKA_STORAGE_ERROR, e.getMessage(), done, effects);
      return;
    }
    Invariant.check(
        log().endOffset() == neededEnd,
        "log end %d after an append that ends at %d",
        log().endOffset(),
        neededEnd);
    if (batch != null) {
      partition.producers().apply(batch, baseOffset, timestamp, partition.steadyMs());
    }
    long appendTimeMs = isAppendTime ? timestamp : BatchView.NO_TIMESTAMP;
    if (passes(Step.AFTER_APPEND, done, effects)) {
      answerWhenSafe(wish, neededEnd, result(baseOffset, appendTimeMs), done, effects);
    }
    partition.advance(effects);
  }

  private AppendResult result(long baseOffset, long appendTimeMs) {
    return new AppendResult(WireError.NONE, baseOffset, appendTimeMs, log().startOffset());
  }

  private void answerDuplicate(
      AppendVerdict.Duplicate original, Wish wish, AppendCallback done, Effects effects) {
    long appendTimeMs =
        partition.config().appendTime() ? original.timestamp() : BatchView.NO_TIMESTAMP;
    answerWhenSafe(
        wish,
        original.lastOffset() + 1,
        result(original.baseOffset(), appendTimeMs),
        done,
        effects);
    partition.advance(effects);
  }

  /** acks=1 promises that this replica has it, acks=all that it is committed, acks=0 nothing. */
  private void answerWhenSafe(
      Wish wish, long neededEnd, AppendResult result, AppendCallback done, Effects effects) {
    if (wish.acks() == 0) {
      effects.add(() -> done.done(result));
      return;
    }
    AckWaits waits = partition.waits();
    AppendWaits queue = wish.acks() == 1 ? waits.local() : waits.committed();
    long timeoutNanos = Math.max(0, wish.timeoutMs()) * Partition.NANOS_PER_MS;
    long deadline = clock.monotonicNanos() + timeoutNanos;
    queue.await(neededEnd, deadline, wish.isInternal(), result, done);
  }

  /**
   * Writes a coordinator's batch with acks=all. If it carries a producer id the epoch must be
   * valid; the first one of a transaction needs a valid guard.
   */
  void appendInternal(
      ByteBuffer records, @Nullable TxnGuard guard, AppendCallback done, Effects effects) {
    view.wrap(records, records.position());
    ProducedBatch batch = view.hasProducerId() ? ProducedBatch.of(view) : null;
    if (refusesAll(AppendRequest.ACKS_ALL, done, effects)) {
      return;
    }
    AppendVerdict verdict =
        batch == null
            ? AppendVerdict.Accept.ACCEPT
            : partition.producers().checkInternal(batch, guard);
    if (verdict != AppendVerdict.Accept.ACCEPT) {
      refuse(verdict.error(), sentence(verdict), done, effects);
    } else {
      write(Wish.OF_COORDINATOR, records, batch, done, effects);
    }
  }

  /** Ends a transaction here, or repeats its end harmlessly; acks=all. */
  void appendMarker(MarkerRequest request, AppendCallback done, Effects effects) {
    if (refusesAll(AppendRequest.ACKS_ALL, done, effects)) {
      return;
    }
    AppendVerdict verdict =
        partition.producers().checkMarker(request.marker(), request.transactionVersion());
    if (verdict != AppendVerdict.Accept.ACCEPT) {
      refuse(verdict.error(), sentence(verdict), done, effects);
    } else {
      writeMarker(request.marker(), request.transactionVersion(), done, effects);
    }
  }

  private void writeMarker(Marker marker, int version, AppendCallback done, Effects effects) {
    long offset = log().endOffset();
    ByteBuffer records =
        new ControlMarker(marker.commit(), marker.coordinatorEpoch())
            .toBatch(marker.producerId(), marker.producerEpoch(), clock.wallMillis());
    view.wrap(records, records.position()).assign(offset, partition.leaderEpoch());
    try {
      steps.pass(Step.BEFORE_MARKER, partition.topicPartition());
      steps.pass(Step.BEFORE_APPEND, partition.topicPartition());
      log().append(records);
    } catch (DiskException e) {
      partition.onAppendRefused();
      refuse(WireError.KAFKA_STORAGE_ERROR, e.getMessage(), done, effects);
      return;
    }
    AbortedTxn aborted =
        Aborts.of(
            partition.producers().applyMarker(marker, version, offset, partition.steadyMs()),
            partition.producers());
    if (aborted != null) {
      log().addAborted(aborted);
    }
    if (passes(Step.AFTER_APPEND, done, effects) && passes(Step.AFTER_MARKER, done, effects)) {
      answerWhenSafe(
          Wish.OF_COORDINATOR, offset + 1, result(offset, BatchView.NO_TIMESTAMP), done, effects);
    }
    partition.advance(effects);
  }

  /** What fails once it is in the log stays there: the sender hears that nobody can tell. */
  private boolean passes(Step step, AppendCallback done, Effects effects) {
    try {
      steps.pass(step, partition.topicPartition());
      return true;
    } catch (DiskException e) {
      refuse(WireError.NOT_ENOUGH_REPLICAS_AFTER_APPEND, e.getMessage(), done, effects);
      return false;
    }
  }

  private void refuse(
      WireError error, @Nullable String sentence, AppendCallback done, Effects effects) {
    AppendResult result = AppendResult.refused(error, log().startOffset(), sentence);
    effects.add(() -> done.done(result));
  }

  private String sentence(AppendVerdict verdict) {
    return partition.topicPartition() + ": " + verdict.sentence();
  }
}
