package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.table.ShardTables;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one shard over one internal partition: validate against the state, append, wait until
 * committed, apply by replay, answer. Coordinators call {@link #write}; the partition calls back
 * when its high watermark moves.
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
  private static final int READS_PER_SLICE = 4;

  /** What the runtime borrows from its broker. */
  public record Environment(
      Clock clock, Scheduler scheduler, Consumer<String> notices, Meters meters) {}

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
  private final ShardTables tables;
  private final S shard;
  private final Environment environment;
  private final Consumer<ShardRuntime<S>> onServing;
  private final Replay replay;

  /** A key is in the map while a task holds it; the queue holds the tasks that wait for it. */
  private final TreeMap<String, ArrayDeque<ShardTask<S>>> held = new TreeMap<>();

  private Phase phase = Phase.IDLE;
  private long applied;

  /**
   * @param onServing runs outside of the lock each time the shard has been loaded
   */
  public ShardRuntime(
      TopicPartition topicPartition,
      ShardLog log,
      ShardTables tables,
      S shard,
      Environment environment,
      Consumer<ShardRuntime<S>> onServing) {
    this.topicPartition = topicPartition;
    this.log = log;
    this.tables = tables;
    this.shard = shard;
    this.environment = environment;
    this.onServing = onServing;
    this.replay = new Replay(shard, tables);
    log.onCommit(this::onCommit);
    log.boundCompaction(this::appliedForGood);
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
      bound = applied;
    }
    tables.flush();
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
    return applied;
  }

  /** Whether the state is in place; asking anything else would bring it there. */
  public synchronized boolean isServing() {
    return phase == Phase.SERVING;
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

  /** Refuses everything from now on. */
  public void close() {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      phase = Phase.CLOSED;
      refuseWaiting(WireError.NOT_COORDINATOR, effects);
    }
    effects.forEach(Runnable::run);
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
      if (phase != Phase.SERVING) {
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
      if (error == WireError.NONE && applied < baseOffset + write.decision.records().size()) {
        // Durable, but the state could not take it: the next request loads again from the log.
        outcome = WireError.COORDINATOR_NOT_AVAILABLE;
      }
      if (error != WireError.NONE) {
        if (write.key != null) {
          shard.forgetPending(write.key);
        }
        if (write.settled && phase == Phase.SERVING) {
          // The next task of the key was let in on the strength of this: start from the log again.
          phase = Phase.IDLE;
        }
      }
    }
    settle(write, outcome);
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
        catchUp(Integer.MAX_VALUE, effects);
      }
    }
    effects.forEach(Runnable::run);
  }

  /** Applies committed batches; returns whether the state has reached the high watermark. */
  private boolean catchUp(int reads, List<Runnable> effects) {
    try {
      for (int i = 0; i < reads; i++) {
        if (applied >= log.highWatermark()) {
          return true;
        }
        ByteBuffer batches = log.read(applied, READ_BYTES);
        if (!batches.hasRemaining()) {
          return true;
        }
        applied = replay.apply(batches, applied);
      }
      return false;
    } catch (DiskException | MalformedBatchException e) {
      fail("cannot apply " + topicPartition + " from offset " + applied, e, effects);
      return false;
    }
  }

  private void load(List<Runnable> effects) {
    try {
      applied = Math.max(tables.appliedOffset(), log.startOffset());
      if (tables.isOfOtherTopic() || applied > log.highWatermark()) {
        String why =
            tables.isOfOtherTopic()
                ? "belongs to a deleted topic of that name"
                : "is ahead of its log, which lost records ("
                    + applied
                    + " > "
                    + log.highWatermark()
                    + ")";
        environment
            .notices()
            .accept("State of " + topicPartition + " " + why + ": rebuilding it from the log");
        tables.wipe(shard.tables());
        applied = log.startOffset();
      }
      shard.load();
      phase = Phase.LOADING;
    } catch (DiskException e) {
      fail("cannot load " + topicPartition, e, effects);
      return;
    }
    loadSlice(effects);
  }

  private void loadSlice(List<Runnable> effects) {
    if (catchUp(READS_PER_SLICE, effects)) {
      phase = Phase.SERVING;
      effects.add(() -> onServing.accept(this));
    } else if (phase == Phase.LOADING) {
      environment.scheduler().run(this::goOnLoading);
    }
  }

  private void goOnLoading() {
    List<Runnable> effects = new ArrayList<>();
    synchronized (this) {
      if (phase == Phase.LOADING) {
        loadSlice(effects);
      }
    }
    effects.forEach(Runnable::run);
  }

  private void fail(String what, RuntimeException why, List<Runnable> effects) {
    phase = Phase.IDLE;
    environment.notices().accept(what + ": " + why.getMessage() + "; will load it again");
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
