package io.fencepost.streams.task;

import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one worker from assignment to release: opens their tables, restores them, rewinds
 * their inputs. A task's inputs are paused in the consumer until it is RUNNING.
 */
final class TaskSet {
  private static final long PLACE_MS = 10_000;

  private final JobPlan plan;
  private final Gateway gateway;
  private final StoreOpener opener;
  private final Restoration restoration;
  private final Journal journal;
  private final Lanes lanes;
  private final TreeMap<TaskId, Task> tasks = new TreeMap<>();
  private boolean isPaused;
  private @Nullable Long unplacedSinceMs;

  TaskSet(
      JobPlan plan,
      Gateway gateway,
      StoreOpener opener,
      Restoration restoration,
      Journal journal,
      Lanes lanes) {
    this.plan = plan;
    this.gateway = gateway;
    this.opener = opener;
    this.restoration = restoration;
    this.journal = journal;
    this.lanes = lanes;
  }

  Collection<Task> all() {
    return tasks.values();
  }

  @Nullable Task of(TopicPartition input) {
    return tasks.get(id(input));
  }

  private TaskId id(TopicPartition input) {
    return new TaskId(plan.of(input).name(), input.partition());
  }

  /** Inputs of a task without state take no turns. */
  Backlog.Place place(TopicPartition input) {
    TaskPlan part = plan.of(input);
    TaskId group = part.takesTurns() ? id(input) : new TaskId(input.topic(), input.partition());
    return new Backlog.Place(group, part.rank(input.topic()));
  }

  boolean allRun() {
    return count(TaskPhase.RUNNING) == tasks.size();
  }

  boolean anyRestores() {
    return count(TaskPhase.RESTORING) > 0;
  }

  private int count(TaskPhase phase) {
    int count = 0;
    for (Task task : tasks.values()) {
      count += task.phase() == phase ? 1 : 0;
    }
    return count;
  }

  /** Takes partitions over; {@link #open} does the rest. */
  void add(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Task task =
          tasks.computeIfAbsent(id(partition), id -> new Task(id, plan.of(partition), lanes));
      task.inputs().add(partition);
      reopen(task);
    }
  }

  private void reopen(Task task) {
    gateway.pause(task.inputs());
    task.moveTo(TaskPhase.OPENING);
  }

  void release(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Task task = of(partition);
      if (task == null) {
        continue;
      }
      task.forget(List.of(partition));
      if (task.inputs().isEmpty()) {
        tasks.remove(task.id());
        restoration.forget(task);
        journal.note("gives up task " + task.id());
        close(task);
      }
    }
  }

  void dropChanges() {
    tasks.values().forEach(Task::dropChanges);
  }

  /** Nobody knows whether the last transaction was committed: stores and inputs ask again. */
  void startOver() {
    for (Task task : tasks.values()) {
      task.dropChanges();
      reopen(task);
    }
  }

  void rewind() {
    List<TopicPartition> inputs = new ArrayList<>();
    tasks.values().forEach(task -> inputs.addAll(task.inputs()));
    var unused = rewind(inputs);
  }

  /** Returns the inputs of which nobody knows yet where they begin. */
  private Set<TopicPartition> rewind(Collection<TopicPartition> inputs) {
    Set<TopicPartition> unplaced = new LinkedHashSet<>();
    if (inputs.isEmpty()) {
      return unplaced;
    }
    Map<TopicPartition, Long> offsets = gateway.committed(inputs);
    for (TopicPartition input : inputs) {
      Task task = of(input);
      Long offset = offsets.get(input);
      if (offset == null && task != null) {
        offset = task.firstOffset(input);
        Long first = offset == null ? gateway.firstPosition(input) : null;
        if (first != null) {
          task.noteFirst(input, first);
        } else if (offset == null) {
          unplaced.add(input);
        }
      }
      if (offset != null) {
        gateway.seek(input, offset);
        if (task != null && task.phase() == TaskPhase.OPENING) {
          journal.note("takes task " + task.id() + " over at " + input + ", offset " + offset);
        }
      }
    }
    return unplaced;
  }

  /**
   * Opens whom no one else holds, moves it to its committed offset and starts to restore it. One of
   * which it is not known where to begin is tried again after a poll.
   */
  void open(long nowMs) {
    List<Task> opened = new ArrayList<>();
    for (Task task : tasks.values()) {
      if (task.phase() == TaskPhase.OPENING && hasTables(task)) {
        opened.add(task);
      }
    }
    if (opened.isEmpty()) {
      unplacedSinceMs = null;
      return;
    }
    List<TopicPartition> inputs = new ArrayList<>();
    opened.forEach(task -> inputs.addAll(task.inputs()));
    Set<TopicPartition> unplaced = rewind(inputs);
    insist(unplaced, nowMs);
    opened.removeIf(task -> task.inputs().stream().anyMatch(unplaced::contains));
    List<Task> restoring = new ArrayList<>();
    for (Task task : opened) {
      if (task.plan().tableCount() == 0) {
        task.moveTo(TaskPhase.RUNNING);
      } else {
        restoring.add(task);
      }
    }
    // First, as the cluster may not answer for the others.
    resumeRunning(opened);
    if (!restoring.isEmpty()) {
      tasks.values().stream()
          .filter(task -> task.phase() == TaskPhase.RESTORING)
          .forEach(restoring::add);
      restoration.begin(restoring, nowMs);
      resumeRunning(restoring);
    }
  }

  /** Whoever does not say for long is waited for, and that has an end: it fails. */
  private void insist(Set<TopicPartition> unplaced, long nowMs) {
    if (unplaced.isEmpty()) {
      unplacedSinceMs = null;
    } else if (unplacedSinceMs == null) {
      unplacedSinceMs = nowMs;
    } else if (nowMs - unplacedSinceMs > PLACE_MS) {
      unplacedSinceMs = null;
      unplaced.forEach(gateway::position);
    }
  }

  private boolean hasTables(Task task) {
    if (task.plan().tableCount() > 0 && task.tables() == null) {
      StoreTable tables = opener.open(task.id());
      if (tables == null) {
        return false;
      }
      task.open(tables);
    }
    return true;
  }

  /** Reads some more of the changelogs. */
  void restore(long timeoutMs, long nowMs) {
    List<Task> restoring = new ArrayList<>();
    for (Task task : tasks.values()) {
      if (task.phase() == TaskPhase.RESTORING) {
        restoring.add(task);
      }
    }
    if (!restoring.isEmpty()) {
      restoration.step(restoring, timeoutMs, nowMs);
      resumeRunning(restoring);
    }
  }

  boolean isPaused() {
    return isPaused;
  }

  /** Whether tasks take no input, until further notice. */
  void pause(boolean paused) {
    if (paused == isPaused) {
      return;
    }
    isPaused = paused;
    if (paused) {
      holdInputs();
    } else {
      releaseInputs();
    }
  }

  /** No poll returns input before {@link #releaseInputs}. */
  void holdInputs() {
    tasks.values().forEach(task -> gateway.pause(task.inputs()));
  }

  /** Nor of those partitions. */
  void holdInputs(Collection<TopicPartition> partitions) {
    gateway.pause(partitions);
  }

  void releaseInputs() {
    resumeRunning(tasks.values());
  }

  private void resumeRunning(Collection<Task> candidates) {
    if (isPaused) {
      return;
    }
    for (Task task : candidates) {
      if (task.phase() == TaskPhase.RUNNING) {
        gateway.resume(task.inputs());
      }
    }
  }

  void sendChanges() {
    tasks.values().forEach(task -> task.sendChanges(gateway));
  }

  /** As {@link Task#forgottenBeforeMs}. */
  Map<TopicPartition, Long> forgottenBeforeMs() {
    Map<TopicPartition, Long> times = new LinkedHashMap<>();
    tasks.values().forEach(task -> times.putAll(task.forgottenBeforeMs()));
    return times;
  }

  void applyChanges() {
    Map<TopicPartition, Long> positions = gateway.changePositions();
    tasks.values().forEach(task -> task.applyChanges(positions));
  }

  void close() {
    tasks.values().forEach(this::close);
    tasks.clear();
  }

  private void close(Task task) {
    try {
      task.close();
    } catch (RuntimeException e) {
      journal.warn("store of task " + task.id() + " did not close cleanly", e);
    }
  }
}
