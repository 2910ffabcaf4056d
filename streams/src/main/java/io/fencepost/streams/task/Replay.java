package io.fencepost.streams.task;

import io.fencepost.streams.FirstSights;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** How committed changelog records become a table, whoever reads them. */
public final class Replay {
  private Replay() {}

  /**
   * Applies records of a table's changelog, which then stands for {@code position}: the reader's
   * own, behind the markers and aborted records that it passed. Returns how many changes it were.
   */
  public static int apply(
      TaskPlan plan, int table, StoreTable tables, Gateway.Batch batch, long position) {
    ChangeBatch changes = new ChangeBatch();
    long newestMs = tables.restorePoint(table).newestMs();
    boolean isDedup = plan.dedupTables().contains(table);
    boolean isTimed = plan.isTimed(table);
    for (ConsumerRecord<byte[], byte[]> record : batch.records()) {
      if (isDedup) {
        newestMs = Math.max(newestMs, FirstSights.newestMs(packed(record)));
      } else if (isTimed && record.key().length == 0 && record.value() != null) {
        newestMs = Math.max(newestMs, Longs.read(record.value()));
      }
      forEachChange(plan, table, record, (key, value) -> changes.add(table, key, value));
    }
    changes.moveTo(table, new RestorePoint(position, newestMs));
    tables.apply(changes);
    return changes.changes().size();
  }

  /** Shows the changes of a table that a record of its changelog holds. */
  public static void forEachChange(
      TaskPlan plan,
      int table,
      ConsumerRecord<byte[], byte[]> record,
      StateBuffer.Changes visitor) {
    if (plan.dedupTables().contains(table)) {
      FirstSights.forEach(
          packed(record), (key, seenMs) -> visitor.change(key, Longs.write(seenMs)));
    } else {
      visitor.change(record.key(), record.value());
    }
  }

  private static byte[] packed(ConsumerRecord<byte[], byte[]> record) {
    byte[] value = record.value();
    if (value == null || record.key() != null || !FirstSights.isReadable(value)) {
      throw new IllegalStateException(
          "offset "
              + record.offset()
              + " of "
              + record.topic()
              + "-"
              + record.partition()
              + " holds no first sights; something else wrote to this changelog. Use a new"
              + " application.id or store name");
    }
    return value;
  }

  /** Whether an entry no longer counts, so that a table may hold it or not. */
  public static boolean isForgotten(
      TaskPlan plan, int table, StoreTable tables, byte @Nullable [] value) {
    return value != null
        && plan.dedupTables().contains(table)
        && !DedupRule.isRemembered(
            Longs.read(value), tables.restorePoint(table).newestMs(), plan.retentionMs(table));
  }

  /**
   * Empties a table that may have missed deletions. One offset more than it knows is no transaction
   * of another, which would be a record and a marker: then there is nothing to miss.
   */
  public static void clearIfStale(StoreTable tables, int table, long end) {
    if (end - tables.restorePoint(table).position() > 1) {
      boolean unused = tables.clearIfStale(table);
    }
  }

  /**
   * Why a table cannot be the state of that changelog; null if it can. It may know of a marker that
   * is still to come.
   */
  public static @Nullable String contradiction(
      RestorePoint point, TopicPartition changelog, long start, long end) {
    long position = point.position();
    if (position <= end + 1 && (position == 0 || position >= start)) {
      return null;
    }
    return "it stands for offset "
        + position
        + " of "
        + changelog
        + ", which now holds offsets "
        + start
        + " to "
        + end
        + " (was the topic deleted?)";
  }
}
