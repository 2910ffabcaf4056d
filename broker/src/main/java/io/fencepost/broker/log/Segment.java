package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.function.IntSupplier;

/**
 * One file of batches and its indexes. Offsets in it are in [baseOffset, nextOffset). Owned by one
 * {@link PartitionLog}. Single-threaded, except {@link #force}.
 */
final class Segment {
  private static final int COPY_BYTES = 1 << 20;

  private final Disk disk;
  private final String logPath;
  private final long baseOffset;
  private final long createdMs;
  private final AppendFile log;
  private final OffsetIndex offsets;
  private final TimeIndex times;
  private final AbortedIndex aborted;

  private long nextOffset;
  private long maxTimestamp = BatchView.NO_TIMESTAMP;
  private long maxTimestampOffset;
  private long firstTimestamp = BatchView.NO_TIMESTAMP;
  private int bytesSinceEntry;

  /** Opens or creates; what the segment holds is told afterwards by {@link #adopt} or a scan. */
  Segment(Disk disk, String directory, long baseOffset, long nowMs) {
    this(disk, directory, baseOffset, nowMs, "");
  }

  /**
   * The same under other names.
   *
   * @param nameEnd stands behind the usual names of the files
   */
  Segment(Disk disk, String directory, long baseOffset, long nowMs, String nameEnd) {
    this.disk = disk;
    String prefix = directory + "/";
    this.logPath = prefix + SegmentNames.name(baseOffset, SegmentNames.LOG + nameEnd);
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
    this.createdMs = nowMs;
    this.offsets =
        new OffsetIndex(
            disk, prefix + SegmentNames.name(baseOffset, SegmentNames.INDEX + nameEnd), baseOffset);
    this.times =
        new TimeIndex(
            disk,
            prefix + SegmentNames.name(baseOffset, SegmentNames.TIME_INDEX + nameEnd),
            baseOffset);
    this.aborted =
        new AbortedIndex(
            disk, prefix + SegmentNames.name(baseOffset, SegmentNames.TXN_INDEX + nameEnd));
    this.log = disk.open(logPath);
  }

  long baseOffset() {
    return baseOffset;
  }

  /** Exclusive end. */
  long nextOffset() {
    return nextOffset;
  }

  int sizeBytes() {
    return (int) log.sizeBytes();
  }

  boolean isEmpty() {
    return log.sizeBytes() == 0;
  }

  /** The greatest timestamp of a batch; -1 if there is none. */
  long maxTimestamp() {
    return maxTimestamp;
  }

  /** The last offset of the first batch that has the greatest timestamp. */
  long maxTimestampOffset() {
    return maxTimestampOffset;
  }

  long createdMs() {
    return createdMs;
  }

  AppendFile log() {
    return log;
  }

  String logPath() {
    return logPath;
  }

  OffsetIndex offsets() {
    return offsets;
  }

  TimeIndex times() {
    return times;
  }

  AbortedIndex aborted() {
    return aborted;
  }

  /** Takes over what an undamaged, indexed segment holds, without reading it. */
  void adopt(long nextOffset, BatchCursor cursor) {
    this.nextOffset = nextOffset;
    int count = times.count();
    if (count > 0) {
      maxTimestamp = times.timestamp(count - 1);
      maxTimestampOffset = times.offset(count - 1);
    }
    if (!isEmpty() && cursor.at(this, 0, log.sizeBytes()).next()) {
      firstTimestamp = timestampOf(cursor.view());
    }
  }

  /** Takes over what a segment with the same content, already indexed, holds. */
  void adoptFrom(Segment same) {
    nextOffset = same.nextOffset;
    maxTimestamp = same.maxTimestamp;
    maxTimestampOffset = same.maxTimestampOffset;
    firstTimestamp = same.firstTimestamp;
  }

  /** Since when its first record is there, as far as its timestamp tells. */
  long oldestMs() {
    return firstTimestamp >= 0 ? firstTimestamp : createdMs;
  }

  /** Whether the log agrees with the last entry of the time index, on which much hangs. */
  boolean confirmsMaxTimestamp(BatchCursor cursor, int indexIntervalBytes) {
    if (maxTimestamp < 0) {
      return firstTimestamp < 0;
    }
    long from = walkFrom(maxTimestampOffset, cursor, indexIntervalBytes);
    cursor.at(this, from, log.sizeBytes());
    while (cursor.next() && cursor.view().lastOffset() < maxTimestampOffset) {
      // The batch stands close behind its entry.
    }
    return cursor.view().lastOffset() == maxTimestampOffset
        && cursor.view().maxTimestamp() == maxTimestamp;
  }

  /** One write; the batches are whole, in order, and fit. */
  void append(ByteBuffer batches, BatchView view, int indexIntervalBytes) {
    long position = log.sizeBytes();
    int start = batches.position();
    log.append(batches.duplicate());
    int at = start;
    while (at < batches.limit()) {
      view.wrap(batches, at);
      note(view, position + (at - start), indexIntervalBytes);
      at += view.sizeBytes();
    }
  }

  /** Accounts for a batch that stands in the file at this position. */
  void note(BatchView batch, long position, int indexIntervalBytes) {
    long lastOffset = batch.lastOffset();
    long timestamp = timestampOf(batch);
    if (position == 0) {
      firstTimestamp = timestamp;
    }
    if (timestamp > maxTimestamp) {
      maxTimestamp = timestamp;
      maxTimestampOffset = lastOffset;
    }
    if (bytesSinceEntry > indexIntervalBytes) {
      offsets.add(lastOffset, (int) position);
      times.add(maxTimestamp, maxTimestampOffset);
      bytesSinceEntry = 0;
    }
    bytesSinceEntry += batch.sizeBytes();
    nextOffset = lastOffset + 1;
  }

  /** A batch that compaction has emptied has no time at which anything could be found. */
  static long timestampOf(BatchView batch) {
    return batch.recordCount() == 0 ? BatchView.NO_TIMESTAMP : batch.maxTimestamp();
  }

  /** Forgets indexes and facts, in front of a scan that notes every batch again. */
  void reset() {
    offsets.file().truncate(0);
    times.file().truncate(0);
    nextOffset = baseOffset;
    maxTimestamp = BatchView.NO_TIMESTAMP;
    firstTimestamp = BatchView.NO_TIMESTAMP;
    bytesSinceEntry = 0;
  }

  /** How much record time the segment spans if a batch with this timestamp is added. */
  private long ageMs(long batchTimestamp, long nowMs) {
    return firstTimestamp >= 0 && batchTimestamp >= 0
        ? batchTimestamp - firstTimestamp
        : nowMs - createdMs;
  }

  /** Whether these batches must go into a new segment. */
  boolean mustBeClosed(AppendSurvey batches, int bytes, LogConfig config, long nowMs) {
    return !isEmpty()
        && ((long) sizeBytes() + bytes > config.segmentBytes()
            || ageMs(batches.maxTimestamp(), nowMs) > config.segmentMs()
            || offsets.isFull(config.maxIndexBytes())
            || times.isFull(config.maxIndexBytes())
            || !canHold(batches.nextOffset() - 1));
  }

  boolean canHold(long lastOffset) {
    return lastOffset - baseOffset <= Integer.MAX_VALUE;
  }

  /** Completes the indexes and writes them out; may be repeated. */
  void seal() {
    times.add(maxTimestamp, maxTimestampOffset);
    offsets.file().flush();
    times.file().flush();
    aborted.flush();
  }

  /** Any thread. Everything that was appended before the call is then durable. */
  void force() {
    log.force();
  }

  /** Writes what the log file shows over itself, for when caches and disk may differ. */
  void writeAnew() {
    ByteBuffer chunk = ByteBuffer.allocate(COPY_BYTES);
    for (long at = 0; at < log.sizeBytes(); at += chunk.limit()) {
      chunk.clear();
      log.read(chunk, at);
      chunk.flip();
      log.write(chunk.duplicate(), at);
    }
  }

  /** Any thread; after {@link #seal}. */
  void forceIndexes() {
    offsets.file().force();
    times.file().force();
    aborted.file().force();
  }

  /**
   * Where to begin a walk that must meet the batch holding the offset: at a batch at or before it.
   * Never trusts an index entry that the log does not confirm; a false one is rebuilt. An index
   * that cannot be read, or not be rebuilt now, costs a longer walk only.
   */
  long walkFrom(long offset, BatchCursor cursor, int indexIntervalBytes) {
    return positionOf(() -> offsets.floorByOffset(offset), cursor, indexIntervalBytes);
  }

  /** A batch boundary at or before the byte position. */
  long boundaryBefore(long position, BatchCursor cursor, int indexIntervalBytes) {
    return positionOf(() -> offsets.floorByPosition(position), cursor, indexIntervalBytes);
  }

  private long positionOf(IntSupplier lookUp, BatchCursor cursor, int indexIntervalBytes) {
    try {
      int entry = lookUp.getAsInt();
      if (entry >= 0 && !confirms(entry, cursor)) {
        reindex(cursor, indexIntervalBytes);
        entry = lookUp.getAsInt();
      }
      return entry < 0 ? 0 : offsets.position(entry);
    } catch (DiskException noIndex) {
      return 0;
    }
  }

  private boolean confirms(int entry, BatchCursor cursor) {
    long position = offsets.position(entry);
    long size = log.sizeBytes();
    if (position < 0 || position + BatchView.HEADER_BYTES > size) {
      return false;
    }
    BatchView batch = cursor.at(this, position, size).peek();
    return batch != null
        && batch.magic() == BatchView.MAGIC
        && batch.lastOffset() == offsets.offset(entry);
  }

  /** Builds both sparse indexes anew from the log. */
  void reindex(BatchCursor cursor, int indexIntervalBytes) {
    long end = nextOffset;
    reset();
    cursor.at(this, 0, log.sizeBytes());
    while (cursor.next()) {
      note(cursor.view(), cursor.position(), indexIntervalBytes);
    }
    nextOffset = end;
    seal();
  }

  /**
   * Cuts here, durably: else a power failure could bring back what was cut, behind what was written
   * since. The indexes follow.
   */
  void truncateToPosition(long position, long nextOffset, BatchCursor cursor, int interval) {
    log.truncate(position);
    log.force();
    offsets.truncateToPosition(position);
    times.truncateToOffset(nextOffset);
    aborted.truncateToOffset(nextOffset);
    // The greatest timestamp may have been cut off: find it in what is left behind the last entry.
    this.nextOffset = nextOffset;
    maxTimestamp = BatchView.NO_TIMESTAMP;
    int count = times.count();
    long from = 0;
    if (count > 0) {
      maxTimestamp = times.timestamp(count - 1);
      maxTimestampOffset = times.offset(count - 1);
      from = walkFrom(maxTimestampOffset, cursor, interval);
    }
    cursor.at(this, from, position);
    while (cursor.next()) {
      if (timestampOf(cursor.view()) > maxTimestamp) {
        maxTimestamp = timestampOf(cursor.view());
        maxTimestampOffset = cursor.view().lastOffset();
      }
    }
    if (position == 0) {
      firstTimestamp = BatchView.NO_TIMESTAMP;
    }
    bytesSinceEntry = 0;
  }

  void park() {
    offsets.file().park();
    times.file().park();
    aborted.file().park();
  }

  void close() {
    log.close();
    offsets.file().close();
    times.file().close();
    aborted.file().close();
  }

  /** Removes the names, the log first; open files and regions stay readable until closed. */
  void deleteNames() {
    disk.delete(logPath);
    offsets.file().delete();
    times.file().delete();
    aborted.file().delete();
  }
}
