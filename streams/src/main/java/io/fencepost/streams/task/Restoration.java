package io.fencepost.streams.task;

import io.fencepost.streams.RestoreProgress;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Brings tables up to the end of their changelogs: from the position that each stands for,
 * read_committed, until the position (not the last record) has passed the end. The end is asked
 * after the input's stable committed offset is known and includes open transactions, so whatever
 * belongs to that offset is seen. One read at a time is in memory, and is applied with its position
 * before the next: what a stop or a crash interrupts goes on there.
 */
final class Restoration {
  private static final long REPORT_INTERVAL_MS = 5_000;

  private final ChangelogReader reader;
  private final Journal journal;
  private final Map<TopicPartition, Target> targets = new LinkedHashMap<>();
  private long restored;
  private long nowMs;
  private long reportedAtMs;

  /** One table on its way. */
  private static final class Target {
    final Task task;
    final int table;
    final long from;
    final long end;
    final long sinceMs;
    boolean isThere;
    long records;

    Target(Task task, int table, long from, long end, long sinceMs) {
      this.task = task;
      this.table = table;
      this.from = from;
      this.end = end;
      this.sinceMs = sinceMs;
    }

    RestoreProgress progress(long position, long nowMs) {
      long seconds = (nowMs - sinceMs) / 1_000;
      return new RestoreProgress(
          task.id().toString(),
          task.id().partition(),
          task.plan().stores().get(table).name(),
          from,
          position,
          end,
          records,
          seconds == 0 ? 0 : records / seconds);
    }
  }

  Restoration(ChangelogReader reader, Journal journal) {
    this.reader = reader;
    this.journal = journal;
  }

  long restored() {
    return restored;
  }

  /** The tables that are not there yet. */
  List<RestoreProgress> progress() {
    List<RestoreProgress> all = new ArrayList<>();
    targets.forEach(
        (changelog, target) -> {
          if (!target.isThere) {
            all.add(target.progress(reader.position(changelog), nowMs));
          }
        });
    return all;
  }

  /** Makes these the tasks to restore. A table that contradicts its changelog begins anew. */
  void begin(Collection<Task> tasks, long newNowMs) {
    nowMs = newNowMs;
    List<TopicPartition> changelogs = new ArrayList<>();
    tasks.forEach(task -> changelogs.addAll(task.restorePoints().keySet()));
    Map<TopicPartition, Long> starts = reader.startOffsets(changelogs);
    Map<TopicPartition, Long> ends = reader.endOffsets(changelogs);
    // Not before the cluster has answered: without an answer those that restore already go on.
    Map<TopicPartition, Target> before = new LinkedHashMap<>(targets);
    targets.clear();
    Map<TopicPartition, Long> from = new LinkedHashMap<>();
    for (Task task : tasks) {
      task.moveTo(TaskPhase.RESTORING);
      for (int table = 0; table < task.plan().tableCount(); table++) {
        TopicPartition changelog = task.changelog(table);
        long start = starts.getOrDefault(changelog, 0L);
        long end = ends.getOrDefault(changelog, 0L);
        long stored = position(task, table, start, end);
        long position = Math.max(start, Math.min(stored, end));
        Target target = new Target(task, table, position, end, nowMs);
        Target older = before.get(changelog);
        if (older == null && position < end) {
          journal.note("restoring " + target.progress(position, nowMs) + " of " + changelog);
        }
        Target way = older == null ? target : continued(older, target);
        way.isThere = position >= end;
        targets.put(changelog, way);
        if (!way.isThere) {
          from.put(changelog, position);
        }
      }
    }
    reader.assign(from);
    finishWhoIsThere(new ArrayList<>(tasks));
  }

  private long position(Task task, int table, long start, long end) {
    StoreTable tables = task.tables();
    if (tables == null) {
      return start;
    }
    RestorePoint point = tables.restorePoint(table);
    String why = Replay.contradiction(point, task.changelog(table), start, end);
    if (why != null) {
      journal.warn("a store of task " + task.id() + " contradicts its changelog: " + why, null);
      tables.clear(table, why);
    }
    Replay.clearIfStale(tables, table, end);
    return tables.restorePoint(table).position();
  }

  /** Others join in: for those on their way the count and the clock go on. */
  private static Target continued(Target older, Target target) {
    Target same = new Target(target.task, target.table, older.from, target.end, older.sinceMs);
    same.records = older.records;
    return same;
  }

  /** One read; tasks that have arrived are RUNNING after it. */
  void step(Collection<Task> restoring, long timeoutMs, long newNowMs) {
    nowMs = newNowMs;
    for (Gateway.Batch batch : reader.poll(timeoutMs)) {
      Target target = targets.get(batch.partition());
      StoreTable tables = target == null ? null : target.task.tables();
      if (target != null && tables != null) {
        long position = reader.position(batch.partition());
        int changes = Replay.apply(target.task.plan(), target.table, tables, batch, position);
        target.records += changes;
        restored += changes;
      }
    }
    report();
    finishWhoIsThere(restoring);
  }

  private void report() {
    if (nowMs - reportedAtMs >= REPORT_INTERVAL_MS) {
      reportedAtMs = nowMs;
      progress().stream()
          .filter(progress -> progress.position() < progress.end())
          .forEach(progress -> journal.note("restoring " + progress));
    }
  }

  private void finishWhoIsThere(Collection<Task> restoring) {
    for (Task task : restoring) {
      if (task.phase() == TaskPhase.RESTORING && isThere(task)) {
        task.dropChanges();
        task.moveTo(TaskPhase.RUNNING);
        targets.forEach(
            (changelog, target) -> {
              if (target.task == task && target.from < target.end) {
                journal.note("restored " + target.progress(target.end, nowMs));
              }
            });
        // From here on its own transactions write the tables, and know more than the reader.
        forget(task);
      }
    }
  }

  private boolean isThere(Task task) {
    for (int table = 0; table < task.plan().tableCount(); table++) {
      TopicPartition changelog = task.changelog(table);
      Target target = targets.get(changelog);
      if (target == null || (!target.isThere && reader.position(changelog) < target.end)) {
        return false;
      }
    }
    return true;
  }

  /** That task is restored, or no longer ours. */
  void forget(Task task) {
    targets.values().removeIf(target -> target.task == task);
  }
}
