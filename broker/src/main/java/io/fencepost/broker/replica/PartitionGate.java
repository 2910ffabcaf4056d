package io.fencepost.broker.replica;

import io.fencepost.broker.log.EpochEnd;
import io.fencepost.broker.log.ForceTicket;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one lock around a {@link Partition}, and the timers and forces that it needs.
 *
 * <p>Thread-safe. Methods that return {@link Effects} leave it to the caller to run them once it
 * holds no lock; what timers and forces bring about is run by the gate itself. With {@link
 * FlushPolicy#GROUP} one force at a time is in flight, outside the lock, and all that was appended
 * before it began is acknowledged when it ends.
 */
public final class PartitionGate {
  private final Uuid topicId;
  private final Partition partition;
  private final PartitionReads reads;
  private final GateCompaction compaction;
  private final LeaderAppends appends;
  private final Replication replication;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Meters meters;
  private final BrokerSteps steps;

  /** Held while a force runs; taken without the gate's own lock. */
  private final Object forceLock = new Object();

  private @Nullable ForceTicket lastRun;
  private Scheduler.@Nullable Timer timer;
  private long timerNanos;

  PartitionGate(Uuid topicId, Partition partition, ReplicaWorld world) {
    this.topicId = topicId;
    this.partition = partition;
    this.clock = world.clock();
    this.scheduler = world.scheduler();
    this.meters = world.meters();
    this.steps = world.steps();
    this.reads = new PartitionReads(partition, world.notices());
    this.compaction = new GateCompaction(this, partition, clock);
    this.appends = new LeaderAppends(partition, clock, steps);
    this.replication = new Replication(this, partition, reads, world);
  }

  public TopicPartition topicPartition() {
    return partition.topicPartition();
  }

  public Uuid topicId() {
    return topicId;
  }

  public synchronized int leaderEpoch() {
    return partition.leaderEpoch();
  }

  /** The role of this broker in the partition, as it is now. */
  public synchronized LeaderTerm term() {
    return partition.term();
  }

  public synchronized long logStartOffset() {
    return partition.log().startOffset();
  }

  public synchronized long highWatermark() {
    return partition.highWatermark();
  }

  public synchronized long lastStableOffset() {
    return partition.lastStableOffset();
  }

  public synchronized long logEndOffset() {
    return partition.log().endOffset();
  }

  public synchronized long sizeBytes() {
    return partition.log().sizeBytes();
  }

  public synchronized PartitionCounts counts() {
    return PartitionCounts.of(partition);
  }

  /** Whether this broker leads the partition; may change at any time. */
  public boolean isLeader() {
    return partition.isLeader();
  }

  /** Its part in the replication of this partition. */
  Replication replication() {
    return replication;
  }

  /** A producer's batch: checked, appended, answered when its acks are met. */
  public Effects append(AppendRequest request, AppendCallback done) {
    Effects effects = new Effects();
    PartitionConfig config = config();
    RecordsCheck.Refusal refusal =
        RecordsCheck.check(request.records(), config, clock.wallMillis());
    if (refusal != null) {
      AppendResult result =
          AppendResult.refused(
                  refusal.error(), logStartOffset(), topicPartition() + ": " + refusal.sentence())
              .withFaults(refusal.faults());
      effects.add(() -> done.done(result));
      return effects;
    }
    synchronized (this) {
      long startNanos = clock.monotonicNanos();
      appends.append(request, done, effects);
      meters.onAppend(clock.monotonicNanos() - startNanos);
      afterAppend(request.timeoutMs());
    }
    return effects;
  }

  /**
   * A coordinator's batch, made by this broker: acks=all, no sequence check; if it carries a
   * producer id, that producer's epoch is checked and its transaction tracked.
   */
  public Effects appendInternal(ByteBuffer batch, AppendCallback done) {
    return appendInternal(batch, null, done);
  }

  /**
   * The same for a transactional batch: refused with INVALID_TXN_STATE if its transaction is not
   * open here and there is no guard, or a marker came after the guard was given.
   */
  public Effects appendInternal(ByteBuffer batch, @Nullable TxnGuard guard, AppendCallback done) {
    Effects effects = new Effects();
    synchronized (this) {
      long startNanos = clock.monotonicNanos();
      appends.appendInternal(batch, guard, done, effects);
      meters.onAppend(clock.monotonicNanos() - startNanos);
      afterAppend(Partition.INTERNAL_TIMEOUT_MS);
    }
    return effects;
  }

  /**
   * The same for a coordinator of one term: NOT_LEADER_OR_FOLLOWER, and nothing is written, unless
   * this broker leads the partition with that epoch now.
   */
  public Effects appendInternal(
      ByteBuffer batch, int leaderEpoch, @Nullable TxnGuard guard, AppendCallback done) {
    synchronized (this) {
      LeaderTerm term = partition.term();
      if (term.isLeader() && term.leaderEpoch() == leaderEpoch) {
        return appendInternal(batch, guard, done);
      }
    }
    Effects effects = new Effects();
    AppendResult over =
        AppendResult.refused(
            WireError.NOT_LEADER_OR_FOLLOWER,
            -1,
            topicPartition() + ": leader epoch " + leaderEpoch + " is over");
    effects.add(() -> done.done(over));
    return effects;
  }

  /**
   * Whether the log has the batch of that leader epoch that ended at this offset, or had it and
   * compacted it; not so once it was truncated away.
   */
  public synchronized boolean holds(int leaderEpoch, long nextOffset) {
    EpochEnd end = partition.log().endOffsetForEpoch(leaderEpoch);
    return end.leaderEpoch() == leaderEpoch && end.endOffset() >= nextOffset;
  }

  /** Ends a transaction in this partition; answered when the marker is committed. */
  public Effects appendMarker(MarkerRequest request, AppendCallback done) {
    Effects effects = new Effects();
    synchronized (this) {
      long startNanos = clock.monotonicNanos();
      appends.appendMarker(request, done, effects);
      meters.onAppend(clock.monotonicNanos() - startNanos);
      afterAppend(Partition.INTERNAL_TIMEOUT_MS);
    }
    return effects;
  }

  /**
   * Null if the batch's transaction is open here already. Otherwise ask the {@link TransactionGate}
   * and then append with this guard.
   *
   * @param startsAtZero the transaction began implicitly (Produce v12 and later), so an unknown
   *     producer must begin with sequence 0
   */
  public synchronized @Nullable TxnGuard guardFor(ProducedBatch batch, boolean startsAtZero) {
    return partition.producers().guardFor(batch, startsAtZero, partition.steadyMs());
  }

  /** The coordinator will never let in who asked for this guard. */
  public synchronized void dropGuard(TxnGuard guard) {
    partition.producers().drop(guard);
  }

  /** Whole batches in [fromOffset, high watermark), for replay; empty at its end. */
  public synchronized ByteBuffer read(long fromOffset, int maxBytes) {
    return reads.committedBytes(fromOffset, maxBytes);
  }

  public synchronized FetchResult fetch(FetchRead read) {
    return reads.fetch(read);
  }

  /**
   * Registers a reader; false, and nothing is registered, if the end has moved past what it saw
   * already.
   */
  public synchronized boolean watch(FetchWatch reader) {
    if (!partition.isLeader() || partition.visibleEnd(reader.isolation()) > reader.seenEnd()) {
      return false;
    }
    partition.waits().watch(reader);
    return true;
  }

  public synchronized void cancel(FetchWatch reader) {
    partition.waits().cancel(reader);
  }

  /** Timestamps below 0 are the special ones of ListOffsets. */
  public synchronized OffsetAnswer offsetFor(
      long timestamp, Isolation isolation, int currentLeaderEpoch) {
    return reads.offsetFor(timestamp, isolation, currentLeaderEpoch);
  }

  public synchronized EpochAnswer endOfEpoch(int leaderEpoch, int currentLeaderEpoch) {
    return reads.endOfEpoch(leaderEpoch, currentLeaderEpoch);
  }

  /** Deletes what is below the offset; -1 stands for the high watermark. */
  public DeleteAnswer deleteRecords(long offset) {
    Effects effects = new Effects();
    DeleteAnswer answer;
    synchronized (this) {
      answer = reads.deleteRecords(offset);
      partition.followers().onMoved(partition, effects);
    }
    effects.run();
    return answer;
  }

  /** By producer id. */
  public synchronized List<ActiveProducer> activeProducers() {
    return reads.activeProducers();
  }

  /** The listener hears of every later move of the high watermark. */
  public synchronized void addListener(CommitListener listener) {
    partition.addListener(listener);
  }

  /**
   * Who replays this log says, when asked under no lock, below which offset it needs nothing again:
   * only that is compacted.
   */
  public void boundCompaction(LongSupplier bound) {
    compaction.bound(bound);
  }

  /** Its part in the compaction of this partition. */
  GateCompaction compaction() {
    return compaction;
  }

  synchronized PartitionConfig config() {
    return partition.config();
  }

  /** New settings of the topic; they hold from the next call on. */
  public Effects configure(PartitionConfig config) {
    Effects effects = new Effects();
    synchronized (this) {
      partition.configure(config);
      partition.advance(effects);
      afterAppend(Partition.INTERNAL_TIMEOUT_MS);
    }
    return effects;
  }

  void repair() {
    replication.repair();
  }

  synchronized void expireProducers() {
    reads.expireProducers();
  }

  synchronized void applyRetention(long nowMs) {
    reads.applyRetention(nowMs);
  }

  /**
   * Refuses those who wait and closes the files; a clean close finishes the force in flight and
   * saves the producers. Returns why it was not clean after all, or null.
   */
  @Nullable DiskException close(boolean isClean) {
    Effects effects = new Effects();
    ForceTicket ticket;
    synchronized (this) {
      partition.refuseAll();
      ticket = partition.forceInFlight();
    }
    if (ticket != null && isClean) {
      runOnce(ticket);
    }
    DiskException refused = null;
    synchronized (this) {
      if (ticket != null && isClean) {
        partition.completeForce(ticket, effects);
      }
      try {
        closePartition(isClean, effects);
      } catch (DiskException e) {
        refused = e;
      }
    }
    effects.run();
    return refused;
  }

  /** Refuses those who wait and deletes the files. */
  Effects delete() {
    Effects effects = new Effects();
    synchronized (this) {
      closePartition(false, effects);
      partition.log().delete(PartitionIdentity.FILE);
    }
    return effects;
  }

  private void closePartition(boolean isClean, Effects effects) {
    if (timer != null) {
      timer.cancel();
    }
    partition.close(isClean, effects);
  }

  void afterAppend(int timeoutMs) {
    startForce();
    replication.resignIfBroken();
    if (partition.waits().hasProducers()) {
      armTimer(Math.max(0, timeoutMs) * Partition.NANOS_PER_MS);
    }
  }

  private void startForce() {
    ForceTicket ticket = partition.beginForce();
    if (ticket != null) {
      scheduler.run(() -> force(ticket));
    }
  }

  /** Either its own task or a clean close; whoever comes second waits for the first. */
  private void runOnce(ForceTicket ticket) {
    synchronized (forceLock) {
      if (lastRun != ticket) {
        lastRun = ticket;
        long startNanos = clock.monotonicNanos();
        runSteps(ticket);
        meters.onForce(clock.monotonicNanos() - startNanos);
      }
    }
  }

  private void runSteps(ForceTicket ticket) {
    try {
      steps.pass(BrokerSteps.Step.BEFORE_FORCE, topicPartition());
      ticket.run();
      steps.pass(BrokerSteps.Step.AFTER_FORCE, topicPartition());
    } catch (DiskException failed) {
      ticket.fail(failed);
    }
  }

  void force(ForceTicket ticket) {
    runOnce(ticket);
    Effects effects = new Effects();
    synchronized (this) {
      partition.completeForce(ticket, effects);
      startForce();
      replication.resignIfBroken();
    }
    effects.run();
  }

  /** One timer for all waits; it is moved only when a deadline comes before it. */
  private void armTimer(long delayNanos) {
    long due = clock.monotonicNanos() + delayNanos;
    if (timer != null) {
      if (timerNanos - due <= 0) {
        return;
      }
      timer.cancel();
    }
    timerNanos = due;
    long delayMs = (delayNanos + Partition.NANOS_PER_MS - 1) / Partition.NANOS_PER_MS;
    timer = scheduler.after(delayMs, this::onTimer);
  }

  private void onTimer() {
    Effects effects = new Effects();
    synchronized (this) {
      timer = null;
      long nextNanos =
          partition.waits().expire(clock.monotonicNanos(), partition.log().startOffset(), effects);
      if (nextNanos != AppendWaits.NEVER) {
        armTimer(nextNanos);
      }
    }
    effects.run();
  }
}
