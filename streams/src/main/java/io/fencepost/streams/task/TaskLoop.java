package io.fencepost.streams.task;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.TaskHealth;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.testing.JobRule;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One worker: its tasks, one transaction at a time over all of them. {@link #step} does a bounded
 * piece of work and is all that a driver (thread, simulator, test) has to call. Single-threaded.
 *
 * <p>Invariant after each step: a table holds exactly what committed transactions wrote up to its
 * changelog position; a task processes only while its input position and its state belong together.
 */
public final class TaskLoop implements Gateway.Assignment {
  private static final int MANY = Integer.MAX_VALUE;
  private static final long WAIT_FOR_LOCK_MS = 20;

  /** So often the group is heard while work is waiting. */
  private static final long LISTEN_MS = 500;

  private final JobPlan plan;
  private final LoopSettings settings;
  private final Gateway gateway;
  private final Journal journal;
  private final InstantSource wallClock;
  private final CommitCycle cycle;
  private final Restoration restoration;
  private final TaskSet tasks;
  private final Backlog backlog;
  private final InputWait inputWait;
  private final Map<TopicPartition, Long> committed = new LinkedHashMap<>();
  private final Patience patience;
  private JobCounts counts = JobCounts.ZERO;
  private long purgedAtMs;
  private long polledAtMs;
  private boolean mustRewind;
  private boolean isSubscribed;
  private @Nullable JobEnd end;

  public TaskLoop(
      JobPlan plan,
      LoopSettings settings,
      Gateway gateway,
      ChangelogReader reader,
      StoreOpener opener,
      Journal journal,
      InstantSource wallClock,
      Lanes lanes) {
    this.plan = plan;
    this.settings = settings;
    this.gateway = gateway;
    this.journal = journal;
    this.wallClock = wallClock;
    this.cycle = new CommitCycle(gateway);
    this.restoration = new Restoration(reader, journal);
    this.tasks = new TaskSet(plan, gateway, opener, restoration, journal, lanes);
    this.backlog = new Backlog(Math.max(1, 2 * plan.parallelism()), tasks::place);
    this.inputWait = new InputWait(gateway, backlog, settings.maxTaskIdleMs());
    this.patience = new Patience(settings.taskTimeoutMs());
  }

  /** While paused it takes no input and fires no timers, but stays in the group. */
  public void pause(boolean isPaused) {
    tasks.pause(isPaused);
  }

  /** Why it ended; null while it goes on. */
  public @Nullable JobEnd end() {
    return end;
  }

  public JobCounts counts() {
    return counts.plus(new JobCounts(0, 0, 0, 0, 0, 0, 0, restoration.restored(), 0));
  }

  /** Input offsets as of the last commits of this worker. */
  public Map<TopicPartition, Long> committed() {
    return committed;
  }

  /** The tables on their way to the end of their changelogs. */
  public List<RestoreProgress> restoring() {
    return restoration.progress();
  }

  /** The tasks and where they stand in their inputs. */
  public List<TaskHealth> tasks() {
    List<TaskHealth> all = new ArrayList<>();
    for (Task task : tasks.all()) {
      List<TaskHealth.Input> inputs = new ArrayList<>();
      for (TopicPartition input : task.inputs()) {
        long lag = gateway.lag(input);
        long position = lag < 0 ? -1 : nextOffset(input);
        long waiting = lag < 0 ? 0 : gateway.position(input) - position;
        inputs.add(new TaskHealth.Input(input.topic(), input.partition(), position, lag + waiting));
      }
      TaskId id = task.id();
      all.add(
          new TaskHealth(id.toString(), id.part(), id.partition(), task.phase().name(), inputs));
    }
    return all;
  }

  /** Since when no transaction succeeds; null while nothing is wrong. */
  public @Nullable Long failingSinceMs() {
    return patience.failingSinceMs();
  }

  /** As {@link Gateway#receivedBytes}. */
  public long receivedBytes() {
    return gateway.receivedBytes();
  }

  /** A bounded piece of work; false when the loop has ended and only the closing remains. */
  public boolean step(long nowMs) {
    if (end != null) {
      return false;
    }
    try {
      recover();
      if (patience.pauses(nowMs)) {
        listen(nowMs, settings.pollMs());
        return end == null;
      }
      tasks.open(nowMs);
      if (isDue(nowMs)) {
        commit(MANY);
        patience.worked();
        purge(nowMs);
        // That took its time: a transaction that began at this nowMs would be old from the start.
        return true;
      }
      if (tasks.isPaused() || (!backlog.isEmpty() && nowMs - polledAtMs > LISTEN_MS)) {
        listen(nowMs, tasks.isPaused() ? pollTimeoutMs(nowMs) : 0);
      }
      TaskId ready = tasks.isPaused() ? null : readyGroup(nowMs);
      if (ready == null && !tasks.isPaused()) {
        poll(nowMs);
        ready = readyGroup(nowMs);
      }
      if (ready != null) {
        process(ready, nowMs);
      }
      // Before a rewind the consumer stands behind input that was taken back.
      if (!tasks.isPaused() && !isUnsettled()) {
        fireTimers(nowMs);
      }
      tasks.restore(settings.pollMs(), nowMs);
    } catch (RuntimeException e) {
      onFailure(e, nowMs);
    } catch (Throwable e) {
      // The output of half a slice may be sent, and its offsets are not noted.
      cycle.fail(FailureClass.FATAL);
      throw e;
    }
    return end == null;
  }

  /**
   * The first half of the end: commits what is open, or aborts it after a failure. Bounded by three
   * times max.block.ms of the producer. Says what was left.
   */
  public List<String> settle() {
    try {
      if (cycle.phase() == CommitCycle.Phase.OPEN && end == null) {
        commit(1);
      } else if (cycle.phase() == CommitCycle.Phase.OPEN
          || cycle.phase() == CommitCycle.Phase.BROKEN) {
        cycle.breakOff(AbortCause.ENDED);
        abort();
      }
    } catch (RuntimeException e) {
      // A consumer that closes gives its partitions back, and what failed must not be committed
      // then.
      cycle.fail(FailureClass.of(e));
      return List.of(openTransaction("(" + FailureClass.telling(e) + ")"));
    }
    boolean isUnknown = cycle.phase() == CommitCycle.Phase.DOUBTFUL && mustRewind;
    return isUnknown ? List.of(openTransaction("whose end nobody confirmed")) : List.of();
  }

  /**
   * Instead of {@link #settle} after an interrupt: code of the user may have failed or answered
   * wrongly because of it alone, so what is open is aborted.
   */
  public List<String> giveUp() {
    boolean isOpen =
        cycle.phase() == CommitCycle.Phase.OPEN || cycle.phase() == CommitCycle.Phase.BROKEN;
    if (!isOpen) {
      return settle();
    }
    cycle.breakOff(AbortCause.ENDED);
    List<String> left = new ArrayList<>(settle());
    left.add("input whose processing was interrupted; it is read again");
    return left;
  }

  private static String openTransaction(String state) {
    return "an open transaction "
        + state
        + "; the broker or the next start of this worker ends it, and its input is read again"
        + " unless it was committed";
  }

  /** The second half: frees the stores, then leaves the group. Says what was left. */
  public List<String> close(long timeoutMs) {
    tasks.close();
    try {
      gateway.close(timeoutMs, end != null && end.reason() == StopReason.REPLACED);
      return List.of();
    } catch (RuntimeException e) {
      return List.of("not closed in time: " + FailureClass.telling(e));
    }
  }

  // ---- recovery

  private void recover() {
    if (!isSubscribed) {
      gateway.subscribe(plan.topics(), plan.subscription(), this);
      isSubscribed = true;
    }
    if (cycle.phase() == CommitCycle.Phase.BROKEN) {
      mustRewind = true;
      abort();
    }
    if (cycle.phase() == CommitCycle.Phase.DOUBTFUL) {
      tasks.startOver();
      cycle.renewProducer();
    }
    if (mustRewind) {
      backlog.clear();
      inputWait.forget();
      tasks.rewind();
      mustRewind = false;
    }
  }

  private void abort() {
    if (JobRule.ABORT_DROPS_STATE.holds()) {
      tasks.dropChanges();
    }
    counts = counts.plus(new JobCounts(0, 0, 0, 0, 0, 1, 0, 0, 0));
    journal.aborted(cycle.abortCause());
    cycle.abort();
  }

  // ---- the cycle

  private boolean isDue(long nowMs) {
    return cycle.phase() == CommitCycle.Phase.OPEN
        && (nowMs - cycle.begunAtMs() >= settings.commitIntervalMs()
            || cycle.counts().records >= settings.commitMaxRecords()
            || cycle.counts().bytes >= settings.commitMaxBytes());
  }

  /**
   * Polls without taking input, as work is waiting or the job is paused: the group's decisions
   * come, and it sees that this member lives.
   */
  private void listen(long nowMs, long timeoutMs) {
    polledAtMs = nowMs;
    tasks.holdInputs();
    try {
      if (!gateway.poll(timeoutMs).isEmpty()) {
        cycle.breakOff(AbortCause.INPUT_MOVED);
        mustRewind = true;
      }
    } finally {
      tasks.releaseInputs();
    }
  }

  private void poll(long nowMs) {
    polledAtMs = nowMs;
    List<Gateway.Batch> batches = pollBehindBacklog(nowMs);
    if (isUnsettled()) {
      // The group's decisions came during the poll: what it returned comes again after the rewind.
      mustRewind = true;
      return;
    }
    backlog.add(batches);
    if (batches.isEmpty() && cycle.phase() == CommitCycle.Phase.IDLE && tasks.allRun()) {
      patience.idle(nowMs);
    }
  }

  /** A partition of which records wait gets no more until they are processed. */
  private List<Gateway.Batch> pollBehindBacklog(long nowMs) {
    if (backlog.isEmpty()) {
      return gateway.poll(pollTimeoutMs(nowMs));
    }
    tasks.holdInputs(backlog.partitions());
    try {
      return gateway.poll(Math.min(pollTimeoutMs(nowMs), Math.max(1, settings.maxTaskIdleMs())));
    } finally {
      tasks.releaseInputs();
    }
  }

  private boolean isUnsettled() {
    return end != null
        || mustRewind
        || cycle.phase() == CommitCycle.Phase.BROKEN
        || cycle.phase() == CommitCycle.Phase.DOUBTFUL;
  }

  /** Whose records can be processed now; null if nobody's. */
  private @Nullable TaskId readyGroup(long nowMs) {
    if (isUnsettled()) {
      return null;
    }
    return backlog.nextGroup(
        partition -> {
          Task task = tasks.of(partition);
          return task == null || !inputWait.isWaiting(task, nowMs);
        });
  }

  private void process(TaskId group, long nowMs) {
    List<Gateway.Batch> slice = backlog.next(group);
    Task task = tasks.of(slice.get(0).partition());
    if (task == null || task.phase() != TaskPhase.RUNNING) {
      cycle.breakOff(AbortCause.INPUT_MOVED);
      mustRewind = true;
      return;
    }
    cycle.beginIfIdle(nowMs);
    long begunMs = wallClock.millis();
    task.prefetch(slice);
    for (Gateway.Batch run : slice) {
      CycleCounts done = task.process(run, gateway);
      long last = run.records().get(run.records().size() - 1).offset();
      cycle.processed(run.partition(), last + 1, done);
    }
    backlog.took(wallClock.millis() - begunMs);
  }

  /**
   * Timers of the wall clock, and work of event time that one input left. Their transaction carries
   * the input offsets of their task, though unchanged: so the group refuses it to a worker that has
   * lost the task.
   */
  private void fireTimers(long nowMs) {
    long wallMs = wallClock.millis();
    for (Task task : tasks.all()) {
      if (task.phase() == TaskPhase.RUNNING && task.hasDueTimer(wallMs)) {
        cycle.beginIfIdle(nowMs);
        CycleCounts done = task.fireTimers(wallMs, gateway);
        for (TopicPartition input : task.inputs()) {
          cycle.processed(input, nextOffset(input), done);
          done = new CycleCounts();
        }
      }
    }
  }

  private long nextOffset(TopicPartition input) {
    Long waiting = backlog.firstOffset(input);
    return waiting == null ? gateway.position(input) : waiting;
  }

  private long pollTimeoutMs(long nowMs) {
    if (tasks.anyRestores()) {
      return 0;
    }
    if (!tasks.allRun()) {
      return Math.min(WAIT_FOR_LOCK_MS, settings.pollMs());
    }
    if (cycle.phase() != CommitCycle.Phase.OPEN) {
      return settings.pollMs();
    }
    long leftMs = cycle.begunAtMs() + settings.commitIntervalMs() - nowMs;
    return Math.max(0, Math.min(settings.pollMs(), leftMs));
  }

  private void commit(int tries) {
    journal.committing();
    tasks.sendChanges();
    cycle.commit(tries, backlog);
    journal.committed(cycle.counts().records, gateway.sentBytes());
    committed.putAll(cycle.nextOffsets());
    CycleCounts done = cycle.counts();
    counts =
        counts.plus(
            new JobCounts(
                done.records,
                done.emitted,
                done.deadLetters,
                done.duplicates,
                1,
                0,
                0,
                0,
                done.dropped));
    cycle.forget();
    tasks.applyChanges();
  }

  /** What the job itself wrote and has read, or may forget, is of no use to anybody. */
  private void purge(long nowMs) {
    if (nowMs - purgedAtMs < settings.purgeIntervalMs()) {
      return;
    }
    purgedAtMs = nowMs;
    Map<TopicPartition, Long> read = new LinkedHashMap<>();
    committed.forEach(
        (input, offset) -> {
          if (plan.of(input).ownTopics().contains(input.topic())) {
            read.put(input, offset);
          }
        });
    if (!read.isEmpty()) {
      gateway.purge(read);
    }
    Map<TopicPartition, Long> forgotten = tasks.forgottenBeforeMs();
    if (!forgotten.isEmpty()) {
      gateway.purgeOlder(forgotten);
    }
  }

  // ---- failures

  private void onFailure(RuntimeException error, long nowMs) {
    FailureClass failure = FailureClass.of(error);
    cycle.fail(failure);
    mustRewind = true;
    journal.failed(failure, FailureClass.telling(error));
    if (failure == FailureClass.FATAL) {
      end = Ending.fatal(error);
      return;
    }
    if (failure == FailureClass.REPLACED) {
      end = Ending.replaced(error);
      return;
    }
    if (failure == FailureClass.FENCED) {
      counts = counts.plus(new JobCounts(0, 0, 0, 0, 0, 0, 1, 0, 0));
    }
    journal.warn(
        "cycle failed ("
            + failure
            + "), its input"
            + (cycle.nextOffsets().isEmpty() ? "" : " before offsets " + cycle.nextOffsets())
            + " is read again: "
            + FailureClass.telling(error),
        null);
    switch (patience.failed(failure, nowMs)) {
      case GO_ON -> {}
      case REPLACED -> end = Ending.replaced(error);
      case GIVE_UP -> end = Ending.timedOut(error, settings.taskTimeoutMs());
    }
  }

  // ---- the group's decisions; called inside poll, so nothing may be thrown

  @Override
  public void assigned(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      TaskPlan part = plan.of(partition);
      if (!part.hasStateFor(partition)) {
        end = Ending.grown(partition, part.partitionCount());
        return;
      }
    }
    List<Task> joined =
        partitions.stream().map(tasks::of).filter(Objects::nonNull).distinct().toList();
    if (!joined.isEmpty()) {
      finishCycle();
      // They begin again at what is committed.
      joined.forEach(task -> backlog.remove(task.inputs()));
    }
    tasks.add(partitions);
  }

  @Override
  public void revoked(Collection<TopicPartition> partitions) {
    finishCycle();
    release(partitions);
  }

  @Override
  public void lost(Collection<TopicPartition> partitions) {
    cycle.breakOff(AbortCause.PARTITIONS_LOST);
    release(partitions);
  }

  private void release(Collection<TopicPartition> partitions) {
    backlog.remove(partitions);
    tasks.release(partitions);
    partitions.forEach(committed::remove);
  }

  /** One try to commit, else abort: bounded by two times max.block.ms of the producer. */
  private void finishCycle() {
    try {
      if (cycle.phase() == CommitCycle.Phase.OPEN) {
        commit(1);
      }
    } catch (RuntimeException e) {
      FailureClass failure = FailureClass.of(e);
      cycle.fail(failure);
      mustRewind = true;
      journal.failed(failure, FailureClass.telling(e));
      journal.warn("open transaction was not committed before partitions moved: " + e, null);
      if (failure == FailureClass.FATAL) {
        end = Ending.fatal(e);
      } else if (failure == FailureClass.REPLACED) {
        end = Ending.replaced(e);
      }
      abortBroken();
    }
  }

  private void abortBroken() {
    if (cycle.phase() == CommitCycle.Phase.BROKEN) {
      try {
        abort();
      } catch (RuntimeException e) {
        journal.warn("abort failed, a new producer will end the transaction: " + e, null);
      }
    }
  }
}
