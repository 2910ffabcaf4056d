package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.ForceTicket;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.producer.AppendVerdict;
import io.fencepost.broker.producer.CompletedTxn;
import io.fencepost.broker.producer.Marker;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The leader's replica of a partition: composes the log, the producers, the last stable offset and
 * those who wait.
 *
 * <p>Invariants: log start ≤ LSO ≤ high watermark ≤ log end, and none moves back while the
 * partition is open. With {@link FlushPolicy#GROUP} the high watermark is at most the durable end,
 * so what a reader saw or a producer was told is never lost.
 *
 * <p>Single-threaded: {@link PartitionGate} is the lock around it. Answers are collected in {@link
 * Effects} and run by the caller after the lock is released.
 */
final class Partition {
  /** Coordinators wait for the fate of a write, as what they decide next must not guess it. */
  static final int INTERNAL_TIMEOUT_MS = Integer.MAX_VALUE;

  static final long NANOS_PER_MS = 1_000_000;

  private final TopicPartition topicPartition;
  private final Supplier<PartitionLog> openLog;
  private final Clock clock;
  private final AckWaits waits = new AckWaits();

  /** Wall time minus monotonic time, as it was when the partition was opened. */
  private final long wallOffsetMs;

  private final List<CommitListener> listeners = new ArrayList<>();
  private final BatchView view = new BatchView();
  private PartitionLog log;
  private ProducerStates producers;
  private PartitionConfig config;
  private int leaderEpoch;
  private long highWatermark;
  private final long termStart;

  /** The force in flight; at most one. */
  private @Nullable ForceTicket ticket;

  private boolean closed;

  /** Why nothing can be written until {@link #repair}; null while all is well. */
  private @Nullable String brokenBy;

  /**
   * Opens the log and learns the producers from it. All that is in it counts as committed, as there
   * is no other replica and an open log is durable.
   */
  Partition(
      TopicPartition topicPartition,
      Supplier<PartitionLog> openLog,
      PartitionConfig config,
      int leaderEpoch,
      Clock clock) {
    this.topicPartition = topicPartition;
    this.openLog = openLog;
    this.config = config;
    this.leaderEpoch = leaderEpoch;
    this.clock = clock;
    this.wallOffsetMs = clock.wallMillis() - clock.monotonicNanos() / NANOS_PER_MS;
    this.log = openLog.get();
    this.producers = PartitionRecovery.producers(log, clock.wallMillis());
    this.highWatermark = log.endOffset();
    this.termStart = log.endOffset();
    onOpened();
  }

  private void onOpened() {
    log.configure(config.log());
    log.onSnapshot(sink -> ProducerSnapshot.write(producers, log.endOffset(), sink));
    producers.onHighWatermark(highWatermark);
  }

  TopicPartition topicPartition() {
    return topicPartition;
  }

  PartitionLog log() {
    return log;
  }

  ProducerStates producers() {
    return producers;
  }

  PartitionConfig config() {
    return config;
  }

  /**
   * Wall time as of the opening, moved on by monotonic time: producers are seen and expire by it,
   * so that whoever sets the clock forward makes the partition forget none.
   */
  long steadyMs() {
    return wallOffsetMs + clock.monotonicNanos() / NANOS_PER_MS;
  }

  void configure(PartitionConfig newConfig) {
    config = newConfig;
    log.configure(newConfig.log());
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  LeaderTerm term() {
    return new LeaderTerm(leaderEpoch, true, termStart);
  }

  long highWatermark() {
    return highWatermark;
  }

  long lastStableOffset() {
    return Math.max(producers.lastStableOffset(highWatermark), log.startOffset());
  }

  /** The first offset that a reader of this isolation may not see. */
  long visibleEnd(Isolation isolation) {
    return switch (isolation) {
      case LOG_END -> log.endOffset();
      case HIGH_WATERMARK -> highWatermark;
      case COMMITTED -> lastStableOffset();
    };
  }

  void addListener(CommitListener listener) {
    listeners.add(listener);
  }

  AckWaits waits() {
    return waits;
  }

  /** Writes a producer's batch, which {@link RecordsCheck} has let through. */
  void append(AppendRequest request, AppendCallback done, Effects effects) {
    ByteBuffer records = Objects.requireNonNull(request.records());
    view.wrap(records, records.position());
    ProducedBatch batch = view.hasProducerId() ? ProducedBatch.of(view) : null;
    AppendVerdict verdict =
        batch == null ? AppendVerdict.Accept.ACCEPT : producers.check(batch, request.guard());
    if (brokenBy != null) {
      refuse(WireError.KAFKA_STORAGE_ERROR, brokenBy, done, effects);
    } else if (verdict == AppendVerdict.Accept.ACCEPT) {
      write(request, records, batch, done, effects);
    } else if (verdict instanceof AppendVerdict.Duplicate duplicate) {
      answerDuplicate(duplicate, request, done, effects);
    } else {
      refuse(verdict.error(), sentence(verdict), done, effects);
    }
  }

  private void write(
      AppendRequest request,
      ByteBuffer records,
      @Nullable ProducedBatch batch,
      AppendCallback done,
      Effects effects) {
    long nowMs = clock.wallMillis();
    long baseOffset = log.endOffset();
    view.assign(baseOffset, leaderEpoch);
    if (config.appendTime()) {
      view.assignAppendTime(nowMs);
    }
    long timestamp = view.maxTimestamp();
    long neededEnd = view.nextOffset();
    try {
      log.append(records);
    } catch (DiskException e) {
      refuse(WireError.KAFKA_STORAGE_ERROR, e.getMessage(), done, effects);
      return;
    }
    Invariant.check(
        log.endOffset() == neededEnd,
        "log end %d after an append that ends at %d",
        log.endOffset(),
        neededEnd);
    if (batch != null) {
      producers.apply(batch, baseOffset, timestamp, steadyMs());
    }
    long appendTimeMs = config.appendTime() ? timestamp : BatchView.NO_TIMESTAMP;
    answerWhenSafe(
        request,
        neededEnd,
        new AppendResult(WireError.NONE, baseOffset, appendTimeMs, log.startOffset()),
        done,
        effects);
    advance(effects);
  }

  private void answerDuplicate(
      AppendVerdict.Duplicate original,
      AppendRequest request,
      AppendCallback done,
      Effects effects) {
    long appendTimeMs = config.appendTime() ? original.timestamp() : BatchView.NO_TIMESTAMP;
    answerWhenSafe(
        request,
        original.lastOffset() + 1,
        new AppendResult(WireError.NONE, original.baseOffset(), appendTimeMs, log.startOffset()),
        done,
        effects);
    advance(effects);
  }

  /** With one replica acks=1 and acks=all promise the same; acks=0 promises nothing. */
  private void answerWhenSafe(
      AppendRequest request,
      long neededEnd,
      AppendResult result,
      AppendCallback done,
      Effects effects) {
    if (request.acks() == 0) {
      effects.add(() -> done.done(result));
      return;
    }
    long timeoutNanos = Math.max(0, request.timeoutMs()) * NANOS_PER_MS;
    waits.awaitEnd(neededEnd, clock.monotonicNanos() + timeoutNanos, result, done);
  }

  /**
   * Writes a coordinator's batch with acks=all. If it carries a producer id the epoch must be
   * valid; the first one of a transaction needs a valid guard.
   */
  void appendInternal(
      ByteBuffer records, @Nullable TxnGuard guard, AppendCallback done, Effects effects) {
    view.wrap(records, records.position());
    ProducedBatch batch = view.hasProducerId() ? ProducedBatch.of(view) : null;
    AppendVerdict verdict =
        batch == null ? AppendVerdict.Accept.ACCEPT : producers.checkInternal(batch, guard);
    if (brokenBy != null) {
      refuse(WireError.KAFKA_STORAGE_ERROR, brokenBy, done, effects);
    } else if (verdict != AppendVerdict.Accept.ACCEPT) {
      refuse(verdict.error(), sentence(verdict), done, effects);
    } else {
      write(AppendRequest.of(records, INTERNAL_TIMEOUT_MS), records, batch, done, effects);
    }
  }

  /** Ends a transaction here, or repeats its end harmlessly; acks=all. */
  void appendMarker(MarkerRequest request, AppendCallback done, Effects effects) {
    AppendVerdict verdict = producers.checkMarker(request.marker(), request.transactionVersion());
    if (brokenBy != null) {
      refuse(WireError.KAFKA_STORAGE_ERROR, brokenBy, done, effects);
    } else if (verdict != AppendVerdict.Accept.ACCEPT) {
      refuse(verdict.error(), sentence(verdict), done, effects);
    } else {
      writeMarker(request.marker(), request.transactionVersion(), done, effects);
    }
  }

  private void writeMarker(Marker marker, int version, AppendCallback done, Effects effects) {
    long nowMs = clock.wallMillis();
    long offset = log.endOffset();
    ByteBuffer records =
        new ControlMarker(marker.commit(), marker.coordinatorEpoch())
            .toBatch(marker.producerId(), marker.producerEpoch(), nowMs);
    view.wrap(records, records.position()).assign(offset, leaderEpoch);
    try {
      log.append(records);
    } catch (DiskException e) {
      refuse(WireError.KAFKA_STORAGE_ERROR, e.getMessage(), done, effects);
      return;
    }
    CompletedTxn completed = producers.applyMarker(marker, version, offset, steadyMs());
    if (completed != null && !completed.isCommitted()) {
      long firstOffset = completed.firstOffset();
      long stable = producers.firstUndecidedExcept(firstOffset, offset + 1);
      log.addAborted(new AbortedTxn(marker.producerId(), firstOffset, offset, stable));
    }
    waits.awaitEnd(
        offset + 1,
        clock.monotonicNanos() + INTERNAL_TIMEOUT_MS * NANOS_PER_MS,
        new AppendResult(WireError.NONE, offset, BatchView.NO_TIMESTAMP, log.startOffset()),
        done);
    advance(effects);
  }

  private void refuse(
      WireError error, @Nullable String sentence, AppendCallback done, Effects effects) {
    AppendResult result = AppendResult.refused(error, log.startOffset(), sentence);
    effects.add(() -> done.done(result));
  }

  private String sentence(AppendVerdict verdict) {
    return topicPartition + ": " + verdict.sentence();
  }

  /** Moves the high watermark as far as the flush policy allows, and tells everybody. */
  void advance(Effects effects) {
    long safeEnd = config.flush() == FlushPolicy.GROUP ? log.durableEndOffset() : log.endOffset();
    if (safeEnd > highWatermark) {
      highWatermark = safeEnd;
      producers.onHighWatermark(safeEnd);
      for (CommitListener listener : listeners) {
        effects.add(() -> listener.onHighWatermark(safeEnd));
      }
    }
    waits.onEnd(highWatermark, effects);
    waits.onVisible(this::visibleEnd, effects);
  }

  /** The force that should start now, or null; {@link #completeForce} must follow. */
  @Nullable ForceTicket beginForce() {
    return config.flush() == FlushPolicy.GROUP ? beginForceAnyway() : null;
  }

  /** The same whatever the flush policy. */
  @Nullable ForceTicket beginForceAnyway() {
    if (ticket == null && isWritable() && log.durableEndOffset() < log.endOffset()) {
      ticket = log.beginForce();
      return ticket;
    }
    return null;
  }

  boolean isWritable() {
    return brokenBy == null && log.failure() == null;
  }

  @Nullable ForceTicket forceInFlight() {
    return ticket;
  }

  /** The force has run. Does nothing if it was completed already, or the log is closed. */
  void completeForce(ForceTicket finished, Effects effects) {
    if (finished != ticket || closed) {
      return;
    }
    ticket = null;
    try {
      log.completeForce(finished);
      advance(effects);
    } catch (DiskException e) {
      onForceFailed(e, effects);
    }
  }

  /**
   * The system may have dropped what it could not write. So nothing behind the durable end is
   * trusted: it is cut off, and those who wait for it are told. No reader has seen any of it.
   */
  private void onForceFailed(DiskException failure, Effects effects) {
    brokenBy = topicPartition + " cannot be made durable: " + failure.getMessage();
    waits.failAbove(
        highWatermark,
        AppendResult.refused(WireError.KAFKA_STORAGE_ERROR, log.startOffset(), brokenBy),
        effects);
    repair();
  }

  /** Goes back to what is surely on disk, if the log failed; each tick tries again. */
  void repair() {
    DiskException failure = log.failure();
    if (brokenBy == null && failure != null) {
      brokenBy = topicPartition + " takes no writes: " + failure.getMessage();
    }
    if (brokenBy == null || ticket != null || closed) {
      return;
    }
    try {
      // Opened first: readers keep the old one for as long as the disk refuses what this takes.
      PartitionLog fresh = openLog.get();
      PartitionLog broken = log;
      log = fresh;
      broken.close(false);
      log.truncateTo(highWatermark);
      producers = PartitionRecovery.producers(log, steadyMs()).withGuardsOf(producers);
      onOpened();
      brokenBy = null;
    } catch (DiskException e) {
      brokenBy = topicPartition + " cannot be repaired yet: " + e.getMessage();
    }
  }

  /** Takes no more work. */
  void refuseAll() {
    brokenBy = topicPartition + " is closed on this broker";
  }

  /** Refuses all who wait and closes the files; throws, after that, if they were not saved. */
  void close(boolean isClean, Effects effects) {
    closed = true;
    refuseAll();
    waits.failAbove(
        highWatermark,
        AppendResult.refused(WireError.NOT_LEADER_OR_FOLLOWER, log.startOffset(), brokenBy),
        effects);
    waits.wakeAll(effects);
    log.close(isClean);
  }
}
