package io.fencepost.streams.task;

import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Brings tables up to the end of their changelogs: from the position that each stands for,
 * read_committed, until the position (not the last record) has passed the end. The end is asked
 * after the input's stable committed offset is known and includes open transactions, so whatever
 * belongs to that offset is seen.
 */
final class Restoration {
  private final ChangelogReader reader;
  private final StoreOpener opener;
  private final Journal journal;
  private final Map<TopicPartition, Long> targets = new LinkedHashMap<>();
  private final Map<TopicPartition, Target> owners = new LinkedHashMap<>();
  private long restored;

  private record Target(Task task, int table) {}

  Restoration(ChangelogReader reader, StoreOpener opener, Journal journal) {
    this.reader = reader;
    this.opener = opener;
    this.journal = journal;
  }

  long restored() {
    return restored;
  }

  /**
   * Makes these the tasks to restore. One whose tables contradict the changelog goes back to
   * OPENING.
   */
  void begin(Collection<Task> tasks) {
    Map<TopicPartition, RestorePoint> points = new LinkedHashMap<>();
    tasks.forEach(task -> points.putAll(task.restorePoints()));
    Map<TopicPartition, Long> starts = reader.startOffsets(points.keySet());
    Map<TopicPartition, Long> ends = reader.endOffsets(points.keySet());
    // Not before the cluster has answered: without an answer those that restore already go on.
    targets.clear();
    owners.clear();
    Map<TopicPartition, Long> from = new LinkedHashMap<>();
    for (Task task : tasks) {
      if (!isConsistent(task, starts, ends)) {
        continue;
      }
      task.moveTo(TaskPhase.RESTORING);
      for (int table = 0; table < task.plan().tableCount(); table++) {
        TopicPartition changelog = task.changelog(table);
        owners.put(changelog, new Target(task, table));
        targets.put(changelog, ends.getOrDefault(changelog, 0L));
        RestorePoint point = points.getOrDefault(changelog, RestorePoint.EMPTY);
        from.put(changelog, Math.max(point.position(), starts.getOrDefault(changelog, 0L)));
      }
    }
    reader.assign(from);
    from.forEach(
        (changelog, position) -> {
          long end = targets.getOrDefault(changelog, 0L);
          if (position < end) {
            journal.note("restoring " + changelog + " from offset " + position + " to " + end);
          }
        });
    finishWhoIsThere(new ArrayList<>(tasks));
  }

  private boolean isConsistent(
      Task task, Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
    for (Map.Entry<TopicPartition, RestorePoint> entry : task.restorePoints().entrySet()) {
      long position = entry.getValue().position();
      long start = starts.getOrDefault(entry.getKey(), 0L);
      long end = ends.getOrDefault(entry.getKey(), 0L);
      if (position > end || (position > 0 && position < start)) {
        task.closeTables();
        opener.setAside(
            task.id(),
            "it stands for offset "
                + position
                + " of "
                + entry.getKey()
                + ", which now holds offsets "
                + start
                + " to "
                + end
                + " (was the topic deleted?)");
        task.moveTo(TaskPhase.OPENING);
        return false;
      }
    }
    return true;
  }

  /** One read; tasks that have arrived are RUNNING after it. */
  void step(Collection<Task> restoring, long timeoutMs) {
    for (Gateway.Batch batch : reader.poll(timeoutMs)) {
      Target target = owners.get(batch.partition());
      StoreTable tables = target == null ? null : target.task().tables();
      if (target != null && tables != null) {
        apply(target, tables, batch);
      }
    }
    finishWhoIsThere(restoring);
  }

  private void apply(Target target, StoreTable tables, Gateway.Batch batch) {
    int table = target.table();
    TaskPlan plan = target.task().plan();
    ChangeBatch changes = new ChangeBatch();
    long newestMs = tables.restorePoint(table).newestMs();
    boolean isDedup = plan.dedupTables().contains(table);
    boolean isTimed = plan.isTimed(table);
    for (ConsumerRecord<byte[], byte[]> record : batch.records()) {
      changes.add(table, record.key(), record.value());
      boolean tellsTime = isDedup || (isTimed && record.key().length == 0);
      if (tellsTime && record.value() != null) {
        newestMs = Math.max(newestMs, Longs.read(record.value()));
      }
    }
    changes.moveTo(table, new RestorePoint(reader.position(batch.partition()), newestMs));
    tables.apply(changes);
    restored += batch.records().size();
  }

  private void finishWhoIsThere(Collection<Task> restoring) {
    for (Task task : restoring) {
      if (task.phase() == TaskPhase.RESTORING && isThere(task)) {
        task.dropChanges();
        task.moveTo(TaskPhase.RUNNING);
        // From here on its own transactions write the tables, and know more than the reader.
        owners.values().removeIf(owner -> owner.task() == task);
      }
    }
  }

  private boolean isThere(Task task) {
    for (int table = 0; table < task.plan().tableCount(); table++) {
      TopicPartition changelog = task.changelog(table);
      long target = targets.getOrDefault(changelog, Long.MAX_VALUE);
      if (target > 0 && reader.position(changelog) < target) {
        return false;
      }
    }
    return true;
  }
}
