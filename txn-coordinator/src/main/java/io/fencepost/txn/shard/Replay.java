package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.batch.RecordView;
import io.fencepost.txn.table.ShardTables;
import java.nio.ByteBuffer;

/** Feeds committed batches to a shard: one write set per batch, with the position after it. */
final class Replay {
  private final Shard shard;
  private final ShardTables tables;
  private int lastLeaderEpoch = ShardTables.NO_EPOCH;

  Replay(Shard shard, ShardTables tables) {
    this.shard = shard;
    this.tables = tables;
  }

  /** Applies whole batches, and returns the offset after the last one. */
  long apply(ByteBuffer batches, long appliedOffset) {
    long applied = appliedOffset;
    BatchView batch = new BatchView();
    int position = batches.position();
    while (position < batches.limit()) {
      batch.wrap(batches, position);
      position += batch.sizeBytes();
      if (batch.nextOffset() > applied) {
        applyBatch(batch, applied);
        applied = batch.nextOffset();
      }
    }
    return applied;
  }

  /** The leader epoch of the last batch that was applied; NO_EPOCH if none was yet. */
  int lastLeaderEpoch() {
    return lastLeaderEpoch;
  }

  private void applyBatch(BatchView batch, long fromOffset) {
    tables.begin();
    boolean whole = false;
    try {
      if (batch.isControl()) {
        ControlMarker marker = ControlMarker.of(batch);
        if (marker != null) {
          shard.replayMarker(
              new LoggedMarker(
                  batch.baseOffset(), batch.producerId(), batch.producerEpoch(), marker.commit()));
        }
      } else {
        RecordIterator records = RecordIterator.of(batch);
        while (records.next()) {
          if (records.record().offset() >= fromOffset) {
            shard.replay(logged(batch, records.record()));
          }
        }
      }
      tables.commit(batch.nextOffset(), batch.leaderEpoch());
      whole = true;
      lastLeaderEpoch = batch.leaderEpoch();
    } finally {
      if (!whole) {
        tables.rollBack();
      }
    }
  }

  private static LoggedRecord logged(BatchView batch, RecordView logged) {
    return new LoggedRecord(
        logged.offset(),
        logged.timestamp(),
        logged.key(),
        logged.value(),
        batch.producerId(),
        batch.producerEpoch(),
        batch.isTransactional());
  }
}
