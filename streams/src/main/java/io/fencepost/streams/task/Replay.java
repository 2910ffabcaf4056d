package io.fencepost.streams.task;

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
   * own, behind the markers and aborted records that it passed.
   */
  public static void apply(
      TaskPlan plan, int table, StoreTable tables, Gateway.Batch batch, long position) {
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
    changes.moveTo(table, new RestorePoint(position, newestMs));
    tables.apply(changes);
  }

  /** Why a table cannot be the state of that changelog; null if it can. */
  public static @Nullable String contradiction(
      RestorePoint point, TopicPartition changelog, long start, long end) {
    long position = point.position();
    if (position <= end && (position == 0 || position >= start)) {
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
