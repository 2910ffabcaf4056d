package io.fencepost.streams.task;

import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  private final TaskPlan plan;
  private final LoopSettings settings;
  private final Gateway gateway;
  private final StoreOpener opener;
  private final Journal journal;
  private final CommitCycle cycle;
  private final Restoration restoration;
  private final TreeMap<Integer, Task> tasks = new TreeMap<>();
  private final Map<TopicPartition, Long> committed = new LinkedHashMap<>();
  private final Patience patience;
  private JobCounts counts = JobCounts.ZERO;
  private boolean mustRewind;
  private boolean isSubscribed;
  private @Nullable JobEnd end;

  public TaskLoop(
      TaskPlan plan,
      LoopSettings settings,
      Gateway gateway,
      ChangelogReader reader,
      StoreOpener opener,
      Journal journal) {
    this.plan = plan;
    this.settings = settings;
    this.gateway = gateway;
    this.opener = opener;
    this.journal = journal;
    this.cycle = new CommitCycle(gateway);
    this.restoration = new Restoration(reader, opener, plan, journal);
    this.patience = new Patience(settings.taskTimeoutMs());
  }

  /** Why it ended; null while it goes on. */
  public @Nullable JobEnd end() {
    return end;
  }

  public JobCounts counts() {
    return counts.plus(new JobCounts(0, 0, 0, 0, 0, 0, 0, restoration.restored()));
  }

  /** Input offsets as of the last commits of this worker. */
  public Map<TopicPartition, Long> committed() {
    return committed;
  }

  /** A bounded piece of work; false when the loop has ended and only {@link #finish} remains. */
  public boolean step(long nowMs) {
    if (end != null) {
      return false;
    }
    try {
      recover();
      openTasks();
      if (cycle.phase() == CommitCycle.Phase.OPEN && isDue(nowMs)) {
        commit(MANY);
        patience.worked();
      }
      pollAndProcess(nowMs);
      if (cycle.phase() == CommitCycle.Phase.OPEN
          && cycle.counts().records >= settings.commitMaxRecords()) {
        commit(MANY);
        patience.worked();
      }
      restore();
    } catch (RuntimeException e) {
      onFailure(e, nowMs);
    }
    return end == null;
  }

  /** Commits or aborts what is open, frees stores and leaves the group. Says what was left. */
  public List<String> finish(long timeoutMs) {
    List<String> left = new ArrayList<>();
    try {
      if (cycle.phase() == CommitCycle.Phase.OPEN && end == null) {
        commit(1);
      } else if (cycle.phase() == CommitCycle.Phase.OPEN
          || cycle.phase() == CommitCycle.Phase.BROKEN) {
        cycle.abort();
      }
    } catch (RuntimeException e) {
      left.add(
          "an open transaction ("
              + FailureClass.telling(e)
              + "); the broker or the next start of this worker ends it, and its input is read"
              + " again unless it was committed");
    }
    for (Task task : tasks.values()) {
      closeTask(task);
    }
    tasks.clear();
    try {
      gateway.close(timeoutMs);
    } catch (RuntimeException e) {
      left.add("clients that did not close: " + FailureClass.telling(e));
    }
    return left;
  }

  // ---- recovery

  private void recover() {
    if (!isSubscribed) {
      gateway.subscribe(plan.sourceTopics(), this);
      isSubscribed = true;
    }
    if (cycle.phase() == CommitCycle.Phase.BROKEN) {
      mustRewind = true;
      tasks.values().forEach(Task::dropChanges);
      counts = counts.plus(new JobCounts(0, 0, 0, 0, 0, 1, 0, 0));
      cycle.abort();
    }
    if (cycle.phase() == CommitCycle.Phase.DOUBTFUL) {
      for (Task task : tasks.values()) {
        task.dropChanges();
        gateway.pause(task.inputs());
        task.moveTo(TaskPhase.OPENING);
      }
      cycle.renewProducer();
    }
    if (mustRewind) {
      List<TopicPartition> inputs = new ArrayList<>();
      tasks.values().forEach(task -> inputs.addAll(task.inputs()));
      rewind(inputs);
      mustRewind = false;
    }
  }

  private void rewind(Collection<TopicPartition> inputs) {
    if (inputs.isEmpty()) {
      return;
    }
    Map<TopicPartition, Long> offsets = gateway.committed(inputs);
    for (TopicPartition input : inputs) {
      Task task = tasks.get(input.partition());
      Long offset = offsets.get(input);
      if (offset == null && task != null) {
        offset = task.firstOffset(input);
      }
      if (offset != null) {
        gateway.seek(input, offset);
      }
    }
  }

  private void openTasks() {
    List<Task> opened = new ArrayList<>();
    boolean isAnyRestoring = false;
    for (Task task : tasks.values()) {
      isAnyRestoring |= task.phase() == TaskPhase.RESTORING;
      if (task.phase() == TaskPhase.OPENING && open(task)) {
        opened.add(task);
      }
    }
    if (opened.isEmpty()) {
      return;
    }
    for (Task task : opened) {
      rewind(task.inputs());
    }
    if (isAnyRestoring) {
      tasks.values().stream()
          .filter(task -> task.phase() == TaskPhase.RESTORING)
          .forEach(opened::add);
    }
    if (plan.tableCount() == 0) {
      opened.forEach(task -> task.moveTo(TaskPhase.RUNNING));
    } else {
      restoration.begin(opened);
    }
    resumeRunning(opened);
  }

  private boolean open(Task task) {
    if (plan.tableCount() > 0 && task.tables() == null) {
      StoreTable tables = opener.open(task.partition());
      if (tables == null) {
        return false;
      }
      task.open(tables);
    }
    return true;
  }

  private void restore() {
    List<Task> restoring = new ArrayList<>();
    for (Task task : tasks.values()) {
      if (task.phase() == TaskPhase.RESTORING) {
        restoring.add(task);
      }
    }
    if (!restoring.isEmpty()) {
      restoration.step(restoring, settings.pollMs());
      resumeRunning(restoring);
    }
  }

  private void resumeRunning(Collection<Task> candidates) {
    for (Task task : candidates) {
      if (task.phase() == TaskPhase.RUNNING) {
        gateway.resume(task.inputs());
      }
    }
  }

  // ---- the cycle

  private boolean isDue(long nowMs) {
    return nowMs - cycle.begunAtMs() >= settings.commitIntervalMs();
  }

  private void pollAndProcess(long nowMs) {
    List<Gateway.Batch> batches = gateway.poll(pollTimeoutMs(nowMs));
    for (Gateway.Batch batch : batches) {
      Task task = tasks.get(batch.partition().partition());
      if (task != null) {
        task.noteFirst(batch);
      }
    }
    boolean isUnsettled =
        cycle.phase() == CommitCycle.Phase.BROKEN || cycle.phase() == CommitCycle.Phase.DOUBTFUL;
    if (end != null || isUnsettled || mustRewind) {
      // The group's decisions came during the poll: what it returned comes again after the rewind.
      mustRewind = true;
      return;
    }
    for (Gateway.Batch batch : batches) {
      Task task = tasks.get(batch.partition().partition());
      if (task == null || task.phase() != TaskPhase.RUNNING) {
        cycle.fail(FailureClass.ABORT_AND_REWIND);
        mustRewind = true;
        return;
      }
      cycle.beginIfIdle(nowMs);
      CycleCounts done = task.process(batch, gateway);
      long last = batch.records().get(batch.records().size() - 1).offset();
      cycle.processed(batch.partition(), last + 1, done);
    }
    if (batches.isEmpty() && cycle.phase() == CommitCycle.Phase.IDLE && allRun()) {
      patience.worked();
    }
  }

  private long pollTimeoutMs(long nowMs) {
    if (!allRun()) {
      return 0;
    }
    if (cycle.phase() != CommitCycle.Phase.OPEN) {
      return settings.pollMs();
    }
    long leftMs = cycle.begunAtMs() + settings.commitIntervalMs() - nowMs;
    return Math.max(0, Math.min(settings.pollMs(), leftMs));
  }

  private boolean allRun() {
    for (Task task : tasks.values()) {
      if (task.phase() != TaskPhase.RUNNING) {
        return false;
      }
    }
    return true;
  }

  private void commit(int tries) {
    for (Task task : tasks.values()) {
      task.sendChanges(gateway);
    }
    cycle.commit(tries);
    committed.putAll(cycle.nextOffsets());
    CycleCounts done = cycle.counts();
    counts =
        counts.plus(
            new JobCounts(
                done.records, done.emitted, done.deadLetters, done.duplicates, 1, 0, 0, 0));
    cycle.forget();
    Map<TopicPartition, Long> positions = gateway.changePositions();
    for (Task task : tasks.values()) {
      task.applyChanges(positions);
    }
  }

  // ---- failures

  private void onFailure(RuntimeException error, long nowMs) {
    FailureClass failure = FailureClass.of(error);
    Throwable telling = FailureClass.telling(error);
    cycle.fail(failure);
    mustRewind = true;
    if (failure == FailureClass.FATAL) {
      end = new JobEnd(reasonOf(telling), sentence(telling), error, List.of());
      return;
    }
    if (failure == FailureClass.FENCED) {
      counts = counts.plus(new JobCounts(0, 0, 0, 0, 0, 0, 1, 0));
    }
    journal.warn("cycle failed (" + failure + "), its input is read again: " + telling, null);
    switch (patience.failed(failure, nowMs)) {
      case GO_ON -> {}
      case REPLACED ->
          end =
              new JobEnd(
                  StopReason.REPLACED,
                  "the producer was fenced again and again: another process uses the same"
                      + " transactional id. Give each instance its own instance.id or state.dir",
                  error,
                  List.of());
      case GIVE_UP ->
          end =
              new JobEnd(
                  StopReason.TIMED_OUT,
                  "no transaction succeeded for task.timeout.ms="
                      + settings.taskTimeoutMs()
                      + "; last error: "
                      + sentence(telling),
                  error,
                  List.of());
    }
  }

  private static StopReason reasonOf(Throwable error) {
    if (error instanceof PoisonInput) {
      return StopReason.POISON_INPUT;
    }
    boolean isClient = error instanceof org.apache.kafka.common.KafkaException;
    return isClient ? StopReason.REFUSED : StopReason.FAILED;
  }

  private static String sentence(Throwable error) {
    String message = error.getMessage();
    return error instanceof PoisonInput && message != null ? message : error.toString();
  }

  // ---- the group's decisions; called inside poll, so nothing may be thrown

  @Override
  public void assigned(Collection<TopicPartition> partitions) {
    if (partitions.stream().anyMatch(tp -> tasks.containsKey(tp.partition()))) {
      finishCycle();
    }
    gateway.pause(partitions);
    for (TopicPartition partition : partitions) {
      Task task = tasks.computeIfAbsent(partition.partition(), number -> new Task(number, plan));
      task.inputs().add(partition);
      task.moveTo(TaskPhase.OPENING);
    }
  }

  @Override
  public void revoked(Collection<TopicPartition> partitions) {
    finishCycle();
    release(partitions);
  }

  @Override
  public void lost(Collection<TopicPartition> partitions) {
    cycle.fail(FailureClass.ABORT_AND_REWIND);
    release(partitions);
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
      journal.warn("open transaction was not committed before partitions moved: " + e, null);
      if (failure == FailureClass.FATAL) {
        end =
            new JobEnd(
                reasonOf(FailureClass.telling(e)), sentence(FailureClass.telling(e)), e, List.of());
      }
      abortBroken();
    }
  }

  private void abortBroken() {
    if (cycle.phase() == CommitCycle.Phase.BROKEN) {
      tasks.values().forEach(Task::dropChanges);
      counts = counts.plus(new JobCounts(0, 0, 0, 0, 0, 1, 0, 0));
      try {
        cycle.abort();
      } catch (RuntimeException e) {
        journal.warn("abort failed, a new producer will end the transaction: " + e, null);
      }
    }
  }

  private void release(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Task task = tasks.get(partition.partition());
      if (task == null) {
        continue;
      }
      task.forget(List.of(partition));
      committed.remove(partition);
      if (task.inputs().isEmpty()) {
        tasks.remove(partition.partition());
        closeTask(task);
      }
    }
  }

  private void closeTask(Task task) {
    try {
      task.close();
    } catch (RuntimeException e) {
      journal.warn("store of task " + task.partition() + " did not close cleanly", e);
    }
  }
}
