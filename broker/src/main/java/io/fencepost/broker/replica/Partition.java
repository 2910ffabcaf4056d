package io.fencepost.broker.replica;

import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.ForceTicket;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import io.fencepost.broker.testing.Rule;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A replica of a partition: composes the log, the producers, the last stable offset, its role, and
 * those who wait.
 *
 * <p>Invariants: log start ≤ LSO ≤ high watermark ≤ log end, and none moves back while the
 * partition is open, unless an unclean election takes committed records away. With {@link
 * FlushPolicy#GROUP} a leader counts only what is durable here as its own, so what a reader saw or
 * a producer was told is never lost.
 *
 * <p>Single-threaded: {@link PartitionGate} is the lock around it. Answers are collected in {@link
 * Effects} and run by the caller after the lock is released.
 */
final class Partition {
  /** Coordinators wait for the fate of a write, as what they decide next must not guess it. */
  static final int INTERNAL_TIMEOUT_MS = Integer.MAX_VALUE;

  static final long NANOS_PER_MS = 1_000_000;

  private final TopicPartition topicPartition;
  private final int self;
  private final Supplier<PartitionLog> openLog;
  private final Clock clock;
  private final AckWaits waits = new AckWaits();
  private final WaitingFollowers followers = new WaitingFollowers();

  /** Wall time minus monotonic time, as it was when the partition was opened. */
  private final long wallOffsetMs;

  private final List<CommitListener> listeners = new ArrayList<>();
  private final List<Runnable> safeListeners = new ArrayList<>();
  private PartitionLog log;
  private ProducerStates producers;
  private PartitionConfig config;
  private PartitionState state;

  /** Of this term, if this broker leads; whether there is one may be asked under no lock. */
  private volatile @Nullable IsrTracker tracker;

  private long termStart;
  private long highWatermark;

  /** The force in flight; at most one. */
  private @Nullable ForceTicket ticket;

  private boolean closed;

  /** Whether the disk has refused an append in this term. */
  private boolean refusedAppend;

  /** Why nothing can be written until {@link #repair}; null while all is well. */
  private @Nullable String brokenBy;

  /**
   * Opens the log and learns the producers from it. With one replica all that is in it counts as
   * committed, as an open log is durable; with more the high watermark is learned anew, from the
   * leader or by what the followers have.
   */
  Partition(
      TopicPartition topicPartition,
      int self,
      Supplier<PartitionLog> openLog,
      PartitionConfig config,
      PartitionState state,
      Clock clock) {
    this.topicPartition = topicPartition;
    this.self = self;
    this.openLog = openLog;
    this.config = config;
    this.state = state;
    this.clock = clock;
    this.wallOffsetMs = clock.wallMillis() - clock.monotonicNanos() / NANOS_PER_MS;
    this.log = openLog.get();
    this.producers = PartitionRecovery.producers(log, clock.wallMillis());
    this.highWatermark = state.replicas().size() > 1 ? log.startOffset() : log.endOffset();
    onOpened();
    beginTerm(new Effects());
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
    return state.leaderEpoch();
  }

  PartitionState state() {
    return state;
  }

  LeaderTerm term() {
    return new LeaderTerm(state.leaderEpoch(), isLeader(), termStart);
  }

  boolean isLeader() {
    return tracker != null;
  }

  boolean isFollowerIn(int leaderEpoch) {
    return !closed && tracker == null && state.leaderEpoch() == leaderEpoch;
  }

  /** Of this term; only a leader has it. */
  IsrTracker tracker() {
    return Objects.requireNonNull(tracker);
  }

  WaitingFollowers followers() {
    return followers;
  }

  @Nullable String brokenBy() {
    return brokenBy;
  }

  String whyNotLeader() {
    return topicPartition
        + ": broker "
        + self
        + " does not lead it, "
        + (state.leader() == PartitionState.NO_LEADER
            ? "nobody does in epoch " + state.leaderEpoch()
            : "broker " + state.leader() + " does in epoch " + state.leaderEpoch());
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
      case COMMITTED ->
          Rule.READS_END_AT_STABLE_OFFSET.holds() ? lastStableOffset() : highWatermark;
    };
  }

  void addListener(CommitListener listener) {
    listeners.add(listener);
  }

  AckWaits waits() {
    return waits;
  }

  /** How the partition is from now on; older states than the known one are passed over. */
  void become(PartitionState next, Effects effects) {
    if (closed || next.leaderEpoch() < state.leaderEpoch()) {
      return;
    }
    boolean isNewTerm = next.leaderEpoch() > state.leaderEpoch();
    state = next;
    if (isNewTerm) {
      beginTerm(effects);
    } else if (isLeader()) {
      tracker().onState(next.replicas(), next.isr(), clock.monotonicNanos());
    }
    advance(effects);
    if (isUnderMinIsr()) {
      waits
          .committed()
          .failProducers(
              AppendResult.refused(
                  WireError.NOT_ENOUGH_REPLICAS_AFTER_APPEND, log.startOffset(), whyTooFew()),
              effects);
    }
  }

  private void beginTerm(Effects effects) {
    boolean wasLeader = isLeader();
    refusedAppend = false;
    followers.refuseAll(WireError.NOT_LEADER_OR_FOLLOWER, effects);
    if (state.leader() == self) {
      repair(effects);
      long nowNanos = clock.monotonicNanos();
      termStart = log.endOffset();
      IsrTracker fresh = new IsrTracker(self, termStart, state.replicas(), nowNanos);
      fresh.onState(state.replicas(), state.isr(), nowNanos);
      tracker = fresh;
      return;
    }
    if (wasLeader) {
      tracker = null;
      AppendResult lost =
          AppendResult.refused(WireError.NOT_LEADER_OR_FOLLOWER, log.startOffset(), whyNotLeader());
      waits.failAbove(-1, -1, lost, effects);
      waits.wakeAll(effects);
      producers.dropGuards();
    }
    repair(effects);
  }

  /** Whether acks=all cannot be promised now; a topic cannot ask for more than its replicas. */
  boolean isUnderMinIsr() {
    IsrTracker own = tracker;
    return own != null && own.isrSize() < Math.min(config.minInsyncReplicas(), own.replicaCount());
  }

  String whyTooFew() {
    return topicPartition
        + ": only "
        + state.isr()
        + " of its replicas "
        + state.replicas()
        + " are in sync, min.insync.replicas is "
        + config.minInsyncReplicas();
  }

  /** Moves the high watermark as far as it may go, and tells everybody. */
  void advance(Effects effects) {
    long safeEnd = safeEnd();
    if (isLeader() && !isUnderMinIsr()) {
      raiseHighWatermark(tracker().committedEnd(safeEnd), effects);
    }
    waits.local().onEnd(safeEnd, effects);
    waits.committed().onEnd(highWatermark, effects);
    waits.onVisible(this::visibleEnd, effects);
    followers.onMoved(this, effects);
  }

  private long safeEnd() {
    return config.flush() == FlushPolicy.GROUP && Rule.FORCED_BEFORE_ACKNOWLEDGED.holds()
        ? log.durableEndOffset()
        : log.endOffset();
  }

  void raiseHighWatermark(long offset, Effects effects) {
    if (offset > highWatermark) {
      highWatermark = offset;
      producers.onHighWatermark(offset);
      for (CommitListener listener : listeners) {
        effects.add(() -> listener.onHighWatermark(offset));
      }
    }
  }

  /** Whether all that is in the log is as safe as the flush policy wants it. */
  boolean isSafe() {
    return safeEnd() >= log.endOffset();
  }

  /** Runs once all is safe, or what is not safe has been given up. */
  void whenSafe(Runnable listener) {
    safeListeners.add(listener);
  }

  private void tellSafe(Effects effects) {
    if (isSafe()) {
      safeListeners.forEach(effects::add);
      safeListeners.clear();
    }
  }

  /** A follower's log was cut: what was known of the part that is gone is forgotten. */
  void onTruncated() {
    highWatermark = Math.min(highWatermark, log.endOffset());
    producers = PartitionRecovery.producers(log, steadyMs());
    producers.onHighWatermark(highWatermark);
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
      tellSafe(effects);
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
        log.durableEndOffset(),
        highWatermark,
        AppendResult.refused(WireError.KAFKA_STORAGE_ERROR, log.startOffset(), brokenBy),
        effects);
    if (!mustResign()) {
      repair(effects);
    }
    tellSafe(effects);
  }

  /** Whether the disk refuses what others count on this broker, as their leader, to have. */
  boolean mustResign() {
    if (closed || !isLeader() || state.replicas().size() == 1) {
      return false;
    }
    noticeFailure();
    return brokenBy != null;
  }

  /** The disk has refused an append, and nothing of it is in the log. */
  void onAppendRefused() {
    refusedAppend = true;
  }

  /** Whether another one in sync should lead, as this broker's disk may be full for long. */
  boolean shouldResign() {
    return refusedAppend && !closed && isLeader() && state.isr().size() > 1;
  }

  private void noticeFailure() {
    DiskException failure = log.failure();
    if (brokenBy == null && failure != null) {
      brokenBy = topicPartition + " takes no writes: " + failure.getMessage();
    }
  }

  /**
   * Goes back to what is surely on disk, if the log failed; each tick tries again. Who waits for
   * what was behind that goes on then.
   */
  void repair(Effects effects) {
    noticeFailure();
    if (brokenBy == null || ticket != null || closed) {
      return;
    }
    // A follower has told its leader so much, and some of it may be committed by now.
    long kept = Math.max(highWatermark, safeEnd());
    try {
      // Opened first: readers keep the old one for as long as the disk refuses what this takes.
      PartitionLog fresh = openLog.get();
      PartitionLog broken = log;
      log = fresh;
      broken.close(false);
      log.truncateTo(kept);
      producers = PartitionRecovery.producers(log, steadyMs()).withGuardsOf(producers);
      onOpened();
      brokenBy = null;
      tellSafe(effects);
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
        -1,
        highWatermark,
        AppendResult.refused(WireError.NOT_LEADER_OR_FOLLOWER, log.startOffset(), brokenBy),
        effects);
    waits.wakeAll(effects);
    followers.refuseAll(WireError.NOT_LEADER_OR_FOLLOWER, effects);
    log.close(isClean);
  }
}
