package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchRewriter;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.CodecMissingException;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.RecordIterator;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides what compaction leaves of each batch, shown one after the other from the log's beginning:
 *
 * <pre>
 * record of an aborted transaction      goes
 * record without a key                  goes
 * record with a newer one of its key    goes
 * tombstone                             gets a delete horizon, goes when that has passed
 * marker, its transaction has batches   stays as it is
 * marker, its transaction has none      gets a delete horizon, goes when that has passed
 * batch that cannot be looked into      stays
 * last batch of a live producer         stays, if need be without records
 * </pre>
 *
 * <p>A marker goes only in a run that met no batch of its transaction any more: so whatever of a
 * run survives a crash, no data is left without its marker. Horizons are KIP-534's.
 * Single-threaded.
 */
final class BatchSieve {
  private final KeyOffsets newest;
  private final AbortedSpans aborted;
  private final LastBatches lastBatches;
  private final long nowMs;
  private final long deleteRetentionMs;

  /** Below it the offset map knows the newest record of each key. */
  private final long mapEndOffset;

  /** Producers with a transactional batch since their last marker. */
  private final TreeSet<Long> inTransaction = new TreeSet<>();

  private final BitSet kept = new BitSet();
  private boolean isUntouched;

  BatchSieve(
      KeyOffsets newest, AbortedSpans aborted, CompactionRequest request, long mapEndOffset) {
    this.newest = newest;
    this.aborted = aborted;
    this.lastBatches = request.lastBatches();
    this.nowMs = request.nowMs();
    this.deleteRetentionMs = request.config().deleteRetentionMs();
    this.mapEndOffset = mapEndOffset;
  }

  /** What is left: the batch itself, another one in its place, or null. */
  @Nullable ByteBuffer sift(BatchView batch) {
    isUntouched = false;
    return batch.isControl() ? siftMarker(batch) : siftData(batch);
  }

  /** Whether the last batch stays as it was. */
  boolean isUntouched() {
    return isUntouched;
  }

  private @Nullable ByteBuffer siftMarker(BatchView batch) {
    boolean hasBatches = inTransaction.remove(batch.producerId());
    if (hasBatches || (batch.recordCount() > 0 && isOtherControl(batch))) {
      return whole(batch);
    }
    if (!batch.hasDeleteHorizon() && batch.recordCount() > 0) {
      kept.clear();
      kept.set(0, batch.recordCount());
      return BatchRewriter.rewrite(batch, RecordIterator.of(batch), kept, horizonMs());
    }
    boolean isDue = batch.recordCount() == 0 || nowMs >= batch.baseTimestamp();
    return isDue && !lastBatches.contains(batch) ? null : whole(batch);
  }

  private static boolean isOtherControl(BatchView batch) {
    try {
      return ControlMarker.of(batch) == null;
    } catch (MalformedBatchException unknown) {
      return true;
    }
  }

  private @Nullable ByteBuffer siftData(BatchView batch) {
    if (batch.isTransactional()) {
      inTransaction.add(batch.producerId());
    }
    if (aborted.covers(batch)) {
      return without(batch);
    }
    try {
      return siftRecords(batch);
    } catch (CodecMissingException | MalformedBatchException unreadable) {
      return whole(batch);
    }
  }

  private @Nullable ByteBuffer siftRecords(BatchView batch) {
    kept.clear();
    boolean hasTombstone = false;
    RecordIterator records = RecordIterator.of(batch);
    boolean isDue = batch.hasDeleteHorizon() && nowMs >= batch.baseTimestamp();
    for (int i = 0; records.next(); i++) {
      ByteBuffer key = records.record().key();
      boolean isTombstone = records.record().value() == null;
      if (key != null && newest.get(key) <= records.record().offset() && !(isTombstone && isDue)) {
        kept.set(i);
        hasTombstone |= isTombstone;
      }
    }
    if (kept.isEmpty()) {
      return without(batch);
    }
    // Behind the map's end nothing is known to be gone yet that a tombstone stands for.
    boolean needsHorizon =
        hasTombstone && !batch.hasDeleteHorizon() && batch.nextOffset() <= mapEndOffset;
    if (!needsHorizon && kept.cardinality() == batch.recordCount()) {
      return whole(batch);
    }
    return BatchRewriter.rewrite(
        batch, records, kept, needsHorizon ? horizonMs() : BatchRewriter.NO_HORIZON);
  }

  private long horizonMs() {
    return nowMs + Math.min(deleteRetentionMs, Long.MAX_VALUE - nowMs);
  }

  private @Nullable ByteBuffer without(BatchView batch) {
    return lastBatches.contains(batch) ? BatchRewriter.empty(batch) : null;
  }

  private ByteBuffer whole(BatchView batch) {
    isUntouched = true;
    ByteBuffer bytes = batch.buffer().duplicate();
    bytes.limit(batch.position() + batch.sizeBytes()).position(batch.position());
    return bytes;
  }
}
