package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Invariant;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition: the one façade over segments, indexes and checkpoints. Owned by the
 * partition, which calls it under its gate; only {@link ForceTicket#run} runs outside.
 *
 * <p>Invariants: startOffset ≤ durableEndOffset ≤ endOffset; segments are contiguous; the last one
 * is the active one and takes the appends. An append is one write and throws with nothing appended.
 * A force that failed is never repeated: the system may have dropped the bytes and would then
 * report success, so the log refuses all writes until it is opened again.
 */
public final class PartitionLog {
  private final Disk disk;
  private final String directory;
  private final Clock clock;
  private final List<Segment> segments;
  private final Durability durability;
  private final LeaderEpochs epochs;
  private final Snapshots snapshots;
  private final DroppedFiles dropped = new DroppedFiles();
  private final BatchCursor cursor = new BatchCursor();
  private final BatchView view = new BatchView();
  private final AppendSurvey survey = new AppendSurvey();
  private final LogReader reader;
  private final LogCompaction compaction;

  private LogConfig config;
  private @Nullable Content snapshotContent;
  private final @Nullable String cutAtOpen;
  private @Nullable DiskException failure;
  private long startOffset;
  private long endOffset;

  private PartitionLog(
      Disk disk, String directory, LogConfig config, Clock clock, LogRecovery.Opened opened) {
    this.disk = disk;
    this.directory = directory;
    this.config = config;
    this.clock = clock;
    this.segments = opened.segments();
    this.epochs = opened.epochs();
    this.snapshots = opened.snapshots();
    this.startOffset = opened.startOffset();
    this.endOffset = active().nextOffset();
    this.cutAtOpen = opened.cut();
    this.durability = new Durability(disk, directory, opened);
    this.reader = new LogReader(segments, cursor);
    this.compaction =
        new LogCompaction(
            this,
            new LogCompaction.Parts(
                disk, directory, segments, durability, snapshots, dropped, reader));
  }

  /**
   * Opens or creates the log in this directory. Cuts it at the first bad batch after an unclean
   * stop and rebuilds what is missing; all that is left is durable on return.
   */
  public static PartitionLog open(Disk disk, String directory, LogConfig config, Clock clock) {
    LogRecovery recovery = new LogRecovery(disk, directory, config, clock.wallMillis());
    try {
      return new PartitionLog(disk, directory, config, clock, recovery.run());
    } catch (DiskException refused) {
      recovery.closeFiles();
      throw refused;
    }
  }

  public long startOffset() {
    return startOffset;
  }

  /** The offset that the next record gets. */
  public long endOffset() {
    return endOffset;
  }

  /** Everything below survives a power failure. */
  public long durableEndOffset() {
    return durability.endOffset();
  }

  public long sizeBytes() {
    long size = 0;
    for (Segment segment : segments) {
      size += segment.sizeBytes();
    }
    return size;
  }

  public LeaderEpochs leaderEpochs() {
    return epochs;
  }

  /** Leader epoch of the last record, also when retention has taken it away; -1 if unknown. */
  public int lastEpoch() {
    return endOffset > startOffset ? epochs.epochAt(endOffset - 1) : epochs.latestEpoch();
  }

  public EpochEnd endOffsetForEpoch(int leaderEpoch) {
    return epochs.endOffsetFor(leaderEpoch, endOffset);
  }

  public void configure(LogConfig config) {
    this.config = config;
  }

  /** What the open had to cut off, in words; null if nothing. */
  public @Nullable String cutAtOpen() {
    return cutAtOpen;
  }

  LogConfig config() {
    return config;
  }

  /** What concerns the compaction of this log. */
  public LogCompaction compaction() {
    return compaction;
  }

  /** Why the log refuses writes; null while it does not. */
  public @Nullable DiskException failure() {
    return failure;
  }

  /** Is asked at each roll and at a clean stop for the state as of the log's end. */
  public void onSnapshot(Content content) {
    this.snapshotContent = content;
  }

  public @Nullable Snapshot newestSnapshot() {
    return snapshots.atOrBefore(endOffset);
  }

  public @Nullable Snapshot snapshotAtOrBefore(long offset) {
    return snapshots.atOrBefore(offset);
  }

  /** For a snapshot that its owner found damaged. */
  public void dropSnapshot(long offset) {
    snapshots.drop(offset);
  }

  /**
   * Shows every batch from the one that holds the offset on, also below the log's start while its
   * file is there: producers outlive their records. The listener must not call back.
   */
  public void replay(long fromOffset, BatchListener listener) {
    reader.replay(Math.max(fromOffset, segments.get(0).baseOffset()), listener);
  }

  /**
   * Appends whole batches of format 2 whose offsets, at or above the end, and leader epochs are
   * set. The buffer's position stays. Returns whether a new segment was begun.
   */
  public boolean append(ByteBuffer batches) {
    requireWritable();
    survey.run(batches, endOffset);
    if (survey.nextOffset() == endOffset) {
      return false;
    }
    boolean rolled = rollIfDue(batches.remaining());
    assignEpochs(batches);
    active().append(batches, view, config.indexIntervalBytes());
    endOffset = survey.nextOffset();
    return rolled;
  }

  private void assignEpochs(ByteBuffer batches) {
    for (int at = batches.position(); at < batches.limit(); at += view.sizeBytes()) {
      view.wrap(batches, at);
      if (view.leaderEpoch() > epochs.latestEpoch()) {
        epochs.assign(view.leaderEpoch(), view.baseOffset());
      }
    }
  }

  private boolean rollIfDue(int bytes) {
    boolean due = active().mustBeClosed(survey, bytes, config, clock.wallMillis());
    if (due) {
      roll();
    }
    return due;
  }

  /** Begins a new segment at the end; on a refusal the old one stays the active one. */
  private void roll() {
    Segment old = active();
    durability.beforeRoll();
    if (snapshotContent != null) {
      snapshots.write(endOffset, snapshotContent);
    }
    old.seal();
    segments.add(new Segment(disk, directory, endOffset, clock.wallMillis()));
    durability.onRoll(old);
    dropped.sweep(clock.monotonicNanos());
  }

  /**
   * Whole batches from the one that holds the offset on, below the end given and within one
   * segment.
   *
   * @param offset in [startOffset, endOffset]
   * @param atLeastOne whether the first batch is returned even if it is larger than maxBytes
   */
  public ReadResult read(long offset, int maxBytes, boolean atLeastOne, long endOffsetExclusive) {
    Invariant.check(
        offset >= startOffset && offset <= endOffset,
        "read at %d of a log that ends at %d",
        offset,
        endOffset);
    reader.configure(config.indexIntervalBytes());
    return reader.read(offset, maxBytes, atLeastOne, Math.min(endOffsetExclusive, endOffset));
  }

  /** The aborted transactions that overlap [from, to), by marker. */
  public List<AbortedTxn> aborted(long fromOffset, long toOffsetExclusive) {
    return reader.aborted(fromOffset, toOffsetExclusive);
  }

  /** Of a marker that is in the log; repeating it has no effect. */
  public void addAborted(AbortedTxn txn) {
    segments.get(reader.segmentOf(txn.lastOffset())).aborted().add(txn);
  }

  /** The first record at or behind the start whose time is at or after this; null if none. */
  public @Nullable TimestampOffset offsetForTimestamp(long timestamp) {
    reader.configure(config.indexIntervalBytes());
    return reader.offsetForTimestamp(timestamp, startOffset);
  }

  /** The first record that has the greatest timestamp; null if the log is empty. */
  public @Nullable TimestampOffset maxTimestamp() {
    reader.configure(config.indexIntervalBytes());
    return reader.maxTimestamp(startOffset);
  }

  /**
   * Forgets the epochs of which nothing is in the log, as of a term whose first append failed: a
   * follower that names one of them to its leader would be told to cut its log for ever.
   */
  public void dropEmptyEpochs() {
    requireWritable();
    epochs.truncateFromEnd(endOffset);
  }

  /** Removes all from this offset on; cuts lower if it lies inside a batch. */
  public void truncateTo(long offset) {
    requireWritable();
    if (offset >= endOffset) {
      return;
    }
    if (offset <= segments.get(0).baseOffset()) {
      resetTo(offset);
      return;
    }
    // Not just to the offset: the cut goes lower if the offset lies inside a batch.
    durability.lowerRecoveryPoint(segments.get(reader.segmentOf(offset)).baseOffset());
    try {
      while (active().baseOffset() >= offset) {
        removeSegment(segments.size() - 1);
      }
      disk.forceDirectory(directory);
      long newEnd = reader.truncate(active(), offset, config.indexIntervalBytes());
      durability.onTruncate(active(), newEnd);
      endOffset = newEnd;
      compaction.onTruncate(newEnd);
      epochs.truncateFromEnd(newEnd);
      snapshots.dropAbove(newEnd);
      if (startOffset > newEnd) {
        startOffset = newEnd;
        OffsetFile.save(disk, path(SegmentNames.LOG_START), newEnd);
      }
    } catch (DiskException refused) {
      throw fail("cannot be truncated to offset " + offset, refused);
    }
  }

  /** Throws everything away and begins anew at this offset. */
  public void resetTo(long offset) {
    requireWritable();
    durability.lowerRecoveryPoint(0);
    try {
      OffsetFile.save(disk, path(SegmentNames.LOG_START), offset);
      while (!segments.isEmpty()) {
        removeSegment(segments.size() - 1);
      }
      segments.add(new Segment(disk, directory, offset, clock.wallMillis()));
      disk.forceDirectory(directory);
      startOffset = offset;
      endOffset = offset;
      durability.onReset(offset);
      compaction.onTruncate(0);
      epochs.clear();
      snapshots.dropAll();
    } catch (DiskException refused) {
      throw fail("cannot be reset to offset " + offset, refused);
    }
  }

  /** Makes everything below unreadable, durably; false if it already is. At most the end. */
  public boolean advanceStart(long offset) {
    requireWritable();
    if (offset <= startOffset) {
      return false;
    }
    Invariant.check(
        offset <= endOffset, "start %d behind a log that ends at %d", offset, endOffset);
    OffsetFile.save(disk, path(SegmentNames.LOG_START), offset);
    startOffset = offset;
    while (segments.size() > 1 && segments.get(1).baseOffset() <= offset) {
      removeSegment(0);
    }
    epochs.truncateFromStart(offset);
    snapshots.prune(segments);
    return true;
  }

  /**
   * Removes old segments by age and size. Nothing at or above the limit goes (the high watermark,
   * or less). Returns how many were removed.
   */
  public int applyRetention(long nowMs, long limitOffset) {
    requireWritable();
    dropped.sweep(clock.monotonicNanos());
    int count = Retention.removable(segments, config, nowMs, limitOffset);
    if (count == 0) {
      return 0;
    }
    if (count == segments.size()) {
      roll();
    }
    advanceStart(Math.max(startOffset + 1, segments.get(count).baseOffset()));
    return count;
  }

  private void removeSegment(int index) {
    Segment segment = segments.remove(index);
    durability.onRemove(segment);
    segment.deleteNames();
    dropped.add(segment, clock.monotonicNanos() + config.fileDeleteDelayMs() * 1_000_000);
  }

  /** Forces on the calling thread; for owners with one thread only. Returns the durable end. */
  public long force() {
    ForceTicket ticket = beginForce();
    ticket.run();
    return completeForce(ticket);
  }

  /** Takes a ticket for all that is appended by now. At most one may be outstanding. */
  public ForceTicket beginForce() {
    requireWritable();
    return durability.begin(active(), endOffset);
  }

  /** Takes the ticket back after its run. Returns the durable end; throws if the disk refused. */
  public long completeForce(ForceTicket ticket) {
    DiskException refused = ticket.failure();
    if (refused != null) {
      new ForceDoubt(disk, directory).tryToRaise();
      throw fail("could not be forced to disk", refused);
    }
    return durability.complete(ticket);
  }

  /**
   * Closes the files. A clean close leaves a snapshot, complete indexes and a mark, so that the
   * next open reads nothing; it throws, after closing, if the disk refused. After an unclean close
   * the next open recovers. A log that never held anything leaves nothing.
   */
  public void close(boolean clean) {
    try {
      if (clean && failure == null && endOffset > 0) {
        if (snapshotContent != null) {
          snapshots.write(endOffset, snapshotContent);
        }
        active().seal();
        force();
        active().forceIndexes();
        disk.forceDirectory(directory);
        durability.markClean(active());
      }
    } finally {
      failure = new DiskException("the log in " + directory + " is closed");
      segments.forEach(Segment::close);
      durability.close();
      dropped.closeAll();
    }
  }

  /**
   * Removes the whole directory. Regions that are being sent stay readable.
   *
   * @param last the file that says whose the others are: whatever is left of them has it
   */
  public void delete(String last) {
    failure = new DiskException("the log in " + directory + " is deleted");
    for (String name : disk.list(directory)) {
      if (!name.equals(last)) {
        disk.delete(directory + "/" + name);
      }
    }
    disk.forceDirectory(directory);
    disk.delete(directory);
  }

  private Segment active() {
    return segments.get(segments.size() - 1);
  }

  void requireWritable() {
    if (failure != null) {
      throw new DiskException(failure.getMessage() + " (writes are refused)", failure);
    }
  }

  DiskException fail(String what, DiskException cause) {
    failure =
        new DiskException(
            "the log in "
                + directory
                + " "
                + what
                + ": "
                + cause.getMessage()
                + "; it takes no more writes, since bytes may be lost that seem to be there: repair"
                + " the disk and restart the broker",
            cause);
    return failure;
  }

  private String path(String name) {
    return directory + "/" + name;
  }
}
