package io.fencepost.txn.shard;

import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.TopicPartition;

/**
 * Keeps the rows of a partition that another broker leads as new as its committed log, so that this
 * broker can take over at once. Applies on the scheduler, in small steps, and begins nothing more
 * after {@link #close}. Thread-safe.
 *
 * @param <S> the shard
 */
final class ShardReplica<S extends Shard> {
  static final long RETRY_MS = 5_000;

  /** Whoever takes over waits for at most one step. */
  private static final int STEP_BYTES = 1 << 17;

  private final TopicPartition topicPartition;
  private final ShardState<S> state;
  private final AppliedRows<S> rows;
  private final ShardRuntime.Environment environment;
  private boolean isOpen;
  private boolean hasFailed;
  private boolean closed;

  /** Around the field below alone: whoever moves the high watermark does not wait for a step. */
  private final Object due = new Object();

  private boolean isStepDue;

  ShardReplica(
      TopicPartition topicPartition,
      CommittedLog log,
      ShardState<S> state,
      ShardRuntime.Environment environment) {
    this.topicPartition = topicPartition;
    this.state = state;
    this.rows = new AppliedRows<>(topicPartition, log, state, environment.notices());
    this.environment = environment;
    rows.log().onCommit(this::schedule);
    rows.log().boundCompaction(this::appliedForGood);
  }

  CommittedLog log() {
    return rows.log();
  }

  /** Begins with what is committed already. */
  void start() {
    schedule();
  }

  /**
   * When this returns, nothing is being applied, nor will be. Returns what there is to go on with.
   */
  synchronized ShardState<S> close() {
    closed = true;
    return new ShardState<>(state.tables(), state.shard(), isOpen);
  }

  private void schedule() {
    synchronized (due) {
      if (isStepDue) {
        return;
      }
      isStepDue = true;
    }
    environment.scheduler().run(this::step);
  }

  private void step() {
    synchronized (due) {
      isStepDue = false;
    }
    applyOnce();
  }

  private synchronized void applyOnce() {
    if (closed) {
      return;
    }
    try {
      if (apply()) {
        schedule();
      } else {
        state.shard().trim();
      }
      hasFailed = false;
    } catch (DiskException | MalformedBatchException e) {
      fail(e);
    }
  }

  /** One step; returns whether another one should follow. */
  private boolean apply() {
    if (!isOpen) {
      rows.open();
      isOpen = true;
    }
    isOpen = false;
    AppliedRows.Progress progress = rows.catchUp(1, STEP_BYTES);
    isOpen = progress != AppliedRows.Progress.DIVERGED;
    return progress != AppliedRows.Progress.REACHED;
  }

  /** Said once; the partition may just be closing. */
  private void fail(RuntimeException why) {
    isOpen = false;
    if (!hasFailed) {
      hasFailed = true;
      environment
          .notices()
          .accept(
              "Cannot follow "
                  + topicPartition
                  + ": "
                  + why.getMessage()
                  + "; it is tried again every "
                  + RETRY_MS
                  + " ms");
    }
    synchronized (due) {
      isStepDue = true;
    }
    var unused = environment.scheduler().after(RETRY_MS, this::step);
  }

  private long appliedForGood() {
    long bound;
    synchronized (this) {
      if (closed || !isOpen) {
        return 0;
      }
      bound = rows.position();
    }
    rows.flush();
    return bound;
  }
}
