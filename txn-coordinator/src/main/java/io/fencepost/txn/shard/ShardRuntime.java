package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one shard over one internal partition in one term of this broker as its leader: validate
 * against the state, append, wait until committed, apply by replay, answer. Coordinators call
 * {@link #write}; the partition calls back when its high watermark moves.
 *
 * <p>Tasks of one key run one after the other: the next decides when the previous one is applied
 * (or is freed earlier by {@link ShardDecision.Hold}). Tasks of different keys overlap, and share
 * the partition's force. The state holds exactly the records below {@link #appliedOffset}, which
 * never is above the high watermark.
 *
 * <p>Thread-safe: one lock around everything. Locks are taken in the order shard, partition;
 * answers run outside of both.
 *
 * @param <S> the shard
 */
public final class ShardRuntime<S extends Shard> {
  private static final int READ_BYTES = 1 << 20;
  private static final int ALL = Integer.MAX_VALUE;
  private static final int READS_PER_SLICE = 4;
  private static final long NOT_IN_THIS_TERM = Long.MAX_VALUE;

  /** What the runtime borrows from its broker. */
  public record Environment(
      Clock clock,
      Scheduler scheduler,
      Consumer<String> notices,
      Meters meters,
      BrokerSteps steps) {
    /** Nothing is broken on purpose. */
    public Environment(Clock clock, Scheduler scheduler, Consumer<String> notices, Meters meters) {
      this(clock, scheduler, notices, meters, BrokerSteps.NONE);
    }
  }

  private enum Phase {
    /** Nobody asked yet, or the last attempt to load or apply failed. */
    IDLE,
    LOADING,
    SERVING,
    /** The broker stops or does not lead the partition any more. */
    CLOSED
  }

  private final TopicPartition topicPartition;
  private final ShardLog log;
  private final AppliedRows<S> rows;
  private final S shard;
  private final Environment environment;
  private final Consumer<ShardRuntime<S>> onServing;

  /** A key is in the map while a task holds it; the queue holds the tasks that wait for it. */
  private final TreeMap<String, ArrayDeque<ShardTask<S>>> held = new TreeMap<>();

  /**
   * Keys with a write of unknown fate, and the log's end at the time: it is known from there on.
   */
  private final TreeMap<String, Long> inDoubt = new TreeMap<>();

  private Phase phase = Phase.IDLE;
  private boolean isSliceDue;

  /**
   * @param onServing runs outside of the lock each time the shard has been loaded
   */
  ShardRuntime(
      TopicPartition topicPartition,
      ShardLog log,
      ShardState<S> state,
      Environment environment,
      Consumer<ShardRuntime<S>> onServing) {
    this.topicPartition = topicPartition;
    this.log = log;
    this.rows = new AppliedRows<>(topicPartition, log.committed(), state, environment.notices());
    this.shard = state.shard();
    this.environment = environment;
    this.onServing = onServing;
    log.committed().onCommit(this::onCommit);
    log.committed().boundCompaction(this::appliedForGood);
  }

  /**
   * Below it the log may be compacted: the rows have it and keep it through any crash, so nobody
   * will look there again for a tombstone or a marker.
   */
  private long appliedForGood() {
    long bound;
    synchronized (this) {
      if (phase != Phase.SERVING) {
        return 0;
      }
      bound = rows.position();
    }
    rows.flush();
    return bound;
  }

  public TopicPartition topicPartition() {
    return topicPartition;
  }

  /** The leader epoch of the internal partition: the coordinator epoch in markers. */
  public int coordinatorEpoch() {
    return log.leaderEpoch();
  }

  /** The offset of the first record that is not part of the state. */
  public synchronized long appliedOffset() {
    return rows.position();
  }

  /** Whether the state is in place; asking anything else would bring it there. */
  public synchronized boolean isServing() {
    return phase == Phase.SERVING;
  }

  /** Whether the term is over, or the broker stops. */
  public synchronized boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /** The partition underneath. */
  public ShardLog log() {
    return log;
  }

  /**
   * Runs the task now if its key is free, or after the tasks that came before it.
   *
   * @param key serialises tasks; null if the task depends on nothing that others may be changing
   */
  public void write(@Nullable String key, ShardTask<S> task) {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      if (phase == Phase.IDLE) {
        load(effects);
      }
      if (phase != Phase.SERVING) {
        WireError error = whyNotServing();
        effects.add(() -> task.refused(error));
      } else if (key == null) {
        start(null, task, effects);
      } else if (isInDoubt(key)) {
        effects.add(() -> task.refused(WireError.COORDINATOR_NOT_AVAILABLE));
      } else {
        ArrayDeque<ShardTask<S>> waiting = held.get(key);
        if (waiting == null) {
          held.put(key, new ArrayDeque<>());
          runFree(key, task, effects);
        } else {
          waiting.add(task);
        }
      }
    }
    effects.forEach(Runnable::run);
  }

  /**
   * Goes on with a key that an earlier decision holds. Frees the key unless the new decision holds
   * it again, also when the task is refused.
   */
  public void continueHeld(String key, ShardTask<S> task) {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      if (phase != Phase.SERVING) {
        WireError error = whyNotServing();
        effects.add(() -> task.refused(error));
        next(key, effects);
      } else {
        held.computeIfAbsent(key, k -> new ArrayDeque<>());
        runFree(key, task, effects);
      }
    }
    effects.forEach(Runnable::run);
  }

  /** Frees a key that a decision holds, when there is nothing to go on with. */
  public void free(String key) {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      next(key, effects);
    }
    effects.forEach(Runnable::run);
  }

  /** Looks at the state without waiting for a key. */
  public void read(ShardTask<S> task) {
    write(null, task);
  }

  /** Loads now if nobody has asked yet, so that prepared and timed-out work goes on. */
  public void warmUp() {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      if (phase == Phase.IDLE) {
        load(effects);
      }
    }
    effects.forEach(Runnable::run);
  }

  /**
   * Refuses everything from now on; when this returns, nothing is being applied, nor will be.
   *
   * @return what to run under no lock
   */
  Runnable end() {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      if (phase != Phase.CLOSED) {
        phase = Phase.CLOSED;
        shard.end(effects::add);
        refuseWaiting(WireError.NOT_COORDINATOR, effects);
      }
    }
    return () -> effects.forEach(Runnable::run);
  }

  private WireError whyNotServing() {
    return switch (phase) {
      case LOADING -> WireError.COORDINATOR_LOAD_IN_PROGRESS;
      case CLOSED -> WireError.NOT_COORDINATOR;
      case IDLE, SERVING -> WireError.COORDINATOR_NOT_AVAILABLE;
    };
  }

  private void runFree(String key, ShardTask<S> task, List<Runnable> effects) {
    if (!start(key, task, effects)) {
      next(key, effects);
    }
  }

  private void next(String key, List<Runnable> effects) {
    ArrayDeque<ShardTask<S>> waiting = held.get(key);
    while (waiting != null) {
      ShardTask<S> task = waiting.poll();
      if (task == null) {
        held.remove(key);
        return;
      }
      if (phase != Phase.SERVING || isInDoubt(key)) {
        WireError error = whyNotServing();
        effects.add(() -> task.refused(error));
      } else if (start(key, task, effects)) {
        return;
      }
    }
  }

  /** Decides one task; returns whether it keeps its key. */
  private boolean start(@Nullable String key, ShardTask<S> task, List<Runnable> effects) {
    ShardDecision decision = task.decide(shard);
    if (decision.records().isEmpty()) {
      effects.add(decision.answer());
      return decision.hold() == ShardDecision.Hold.UNTIL_CONTINUED;
    }
    Write write = new Write(key, task, decision);
    Runnable append =
        log.append(
            batch(decision), decision.guard(), (error, base) -> onAppended(write, error, base));
    effects.add(append);
    if (decision.hold() == ShardDecision.Hold.UNTIL_APPENDED) {
      effects.add(() -> settle(write, WireError.NONE));
    }
    return true;
  }

  private ByteBuffer batch(ShardDecision decision) {
    BatchWriter batch = BatchWriter.at(0);
    if (decision.producerId() >= 0) {
      batch
          .producer(decision.producerId(), decision.producerEpoch(), BatchView.NO_SEQUENCE)
          .transactional();
    }
    long now = environment.clock().wallMillis();
    for (NewRecord fresh : decision.records()) {
      batch.add(now, fresh.key(), fresh.value());
    }
    return batch.build();
  }

  private void onAppended(Write write, WireError error, long baseOffset) {
    WireError outcome =
        error == WireError.NONE ? WireError.NONE : AppendErrors.toCoordinator(error);
    synchronized (this) {
      if (error == WireError.NONE
          && rows.position() < baseOffset + write.decision.records().size()) {
        // Durable, but the state could not take it: the next request loads again from the log.
        outcome = whyNotServing();
      }
      if (error != WireError.NONE) {
        if (write.key != null) {
          shard.forgetPending(write.key);
          doubt(write.key, error);
        }
        if (write.settled && phase == Phase.SERVING) {
          // The next task of the key was let in on the strength of this: start from the log again.
          phase = Phase.IDLE;
        }
      }
    }
    settle(write, outcome);
  }

  /**
   * What was appended and not committed in time may be committed yet, also by the leader of the
   * next term: nobody decides about the key before that is known. The partition ends what waits in
   * it before this term is told to end, so the next task of the key is still let in here.
   */
  private void doubt(String key, WireError error) {
    if (error == WireError.NOT_LEADER_OR_FOLLOWER) {
      inDoubt.put(key, NOT_IN_THIS_TERM);
    } else if (error == WireError.REQUEST_TIMED_OUT
        || error == WireError.NOT_ENOUGH_REPLICAS_AFTER_APPEND) {
      inDoubt.put(key, log.committed().endOffset());
    }
  }

  private boolean isInDoubt(String key) {
    Long end = inDoubt.get(key);
    if (end != null
        && end != NOT_IN_THIS_TERM
        && rows.position() >= Math.min(end, log.committed().endOffset())) {
      inDoubt.remove(key);
      return false;
    }
    return end != null;
  }

  /** Answers once, and frees the key. */
  private void settle(Write write, WireError outcome) {
    synchronized (this) {
      if (write.settled) {
        return;
      }
      write.settled = true;
    }
    if (outcome == WireError.NONE) {
      write.decision.answer().run();
    } else {
      write.task.refused(outcome);
    }
    String key = write.key;
    boolean keeps =
        outcome == WireError.NONE && write.decision.hold() == ShardDecision.Hold.UNTIL_CONTINUED;
    if (key != null && !keeps) {
      free(key);
    }
  }

  private void onCommit() {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      if (phase == Phase.SERVING) {
        catchUp(ALL, effects);
      } else if (phase == Phase.LOADING && !isSliceDue) {
        loadSlice(effects);
      }
    }
    effects.forEach(Runnable::run);
  }

  /** Applies committed batches; returns whether all is applied that was committed before. */
  private boolean catchUp(int reads, List<Runnable> effects) {
    try {
      AppliedRows.Progress progress = rows.catchUp(reads, READ_BYTES);
      if (progress == AppliedRows.Progress.DIVERGED) {
        fail("The log of " + topicPartition + " was cut short", "its state is old", effects);
      }
      return progress == AppliedRows.Progress.REACHED;
    } catch (DiskException | MalformedBatchException e) {
      fail("Cannot apply " + topicPartition + " from offset " + rows.position(), e, effects);
      return false;
    }
  }

  private void load(List<Runnable> effects) {
    try {
      rows.open();
      phase = Phase.LOADING;
    } catch (DiskException e) {
      fail("Cannot load " + topicPartition, e, effects);
      return;
    }
    loadSlice(effects);
  }

  /** Goes on later with what is left, or at the next commit. */
  private void loadSlice(List<Runnable> effects) {
    boolean isTermReached = log.committed().highWatermark() >= log.termStart();
    boolean isCaughtUp = catchUp(READS_PER_SLICE, effects);
    if (phase != Phase.LOADING) {
      return;
    }
    if (!isCaughtUp) {
      isSliceDue = true;
      environment.scheduler().run(this::goOnLoading);
    } else if (isTermReached) {
      phase = Phase.SERVING;
      effects.add(() -> onServing.accept(this));
    }
  }

  private void goOnLoading() {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      isSliceDue = false;
      if (phase == Phase.LOADING) {
        loadSlice(effects);
      }
    }
    effects.forEach(Runnable::run);
  }

  private void fail(String what, RuntimeException why, List<Runnable> effects) {
    fail(what, String.valueOf(why.getMessage()), effects);
  }

  private void fail(String what, String why, List<Runnable> effects) {
    phase = Phase.IDLE;
    environment.notices().accept(what + ": " + why + "; will load it again");
    refuseWaiting(WireError.COORDINATOR_NOT_AVAILABLE, effects);
  }

  /** Whoever holds a key now frees it when its own write ends. */
  private void refuseWaiting(WireError error, List<Runnable> effects) {
    for (ArrayDeque<ShardTask<S>> waiting : held.values()) {
      for (ShardTask<S> task : waiting) {
        effects.add(() -> task.refused(error));
      }
      waiting.clear();
    }
  }

  /** An append under way. */
  private final class Write {
    final @Nullable String key;
    final ShardTask<S> task;
    final ShardDecision decision;
    boolean settled;

    Write(@Nullable String key, ShardTask<S> task, ShardDecision decision) {
      this.key = key;
      this.task = task;
      this.decision = decision;
    }
  }
}
