package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens a partition's directory. After a clean stop nothing is read but the ends of the indexes.
 * Otherwise all segments that reach above the recovery point are scanned and cut at the first bad
 * batch, and what remains is forced. Indexes and snapshots never know more than the log afterwards.
 */
final class LogRecovery {
  private final Disk disk;
  private final String directory;
  private final LogConfig config;
  private final long nowMs;
  private final BatchCursor cursor = new BatchCursor();
  private final List<Segment> segments = new ArrayList<>();
  private final List<Segment> scanned = new ArrayList<>();
  private List<String> names = List.of();
  private long startOffset;

  /** What was on disk once, and must still be there. */
  private long durableEnd;

  private @Nullable String cut;

  LogRecovery(Disk disk, String directory, LogConfig config, long nowMs) {
    this.disk = disk;
    this.directory = directory;
    this.config = config;
    this.nowMs = nowMs;
  }

  /**
   * A log that is ready for use.
   *
   * @param unforced segments, all but the last, whose indexes are not known to be durable
   * @param cut what was cut off, in words
   * @param namesForced whether the files' names are; only an empty log may leave that to its first
   *     force
   */
  record Opened(
      List<Segment> segments,
      List<Segment> unforced,
      boolean namesForced,
      LeaderEpochs epochs,
      Snapshots snapshots,
      long startOffset,
      long recoveryPoint,
      DurableMark mark,
      @Nullable String cut) {}

  Opened run() {
    createDirectory();
    names = disk.list(directory);
    SwapPlan swap = LogCompaction.recover(disk, directory, names);
    if (swap != null) {
      names = disk.list(directory);
    }
    startOffset = OffsetFile.load(disk, path(SegmentNames.LOG_START));
    RecoveryPoint point = RecoveryPoint.load(disk, path(SegmentNames.RECOVERY_POINT));
    openSegments();
    boolean virgin = segments.isEmpty();
    LeaderEpochs loaded = LeaderEpochs.load(disk, path(SegmentNames.LEADER_EPOCHS));
    boolean epochsDamaged = loaded == null;
    LeaderEpochs epochs =
        loaded == null ? LeaderEpochs.empty(disk, path(SegmentNames.LEADER_EPOCHS)) : loaded;
    boolean clean = point != null && isUntouchedSince(point);
    long trustedEnd = point == null ? 0 : point.offset();
    long marked = DurableMark.load(disk, path(SegmentNames.DURABLE_END));
    durableEnd = Math.max(trustedEnd, marked);
    adoptOrScan(clean, trustedEnd, epochs);
    if (virgin && startOffset == 0) {
      segments.add(new Segment(disk, directory, 0, nowMs));
    } else if (segments.isEmpty() || last().nextOffset() < startOffset) {
      refuseLoss(segments.isEmpty() ? 0 : last().nextOffset());
      startOver(startOffset);
    }
    startOffset = Math.max(startOffset, segments.get(0).baseOffset());
    long endOffset = last().nextOffset();
    refuseLoss(endOffset);
    if (!scanned.isEmpty() || epochsDamaged) {
      repairEpochs(epochs, epochsDamaged);
    }
    epochs.truncateFromEnd(endOffset);
    epochs.truncateFromStart(startOffset);
    boolean abortedDamaged = !virgin && (point == null || !abortedIndexesFit(point, swap));
    if (abortedDamaged) {
      rebuildAborted();
    }
    // The replay in front of a snapshot is what completes the aborted indexes above the recovery
    // point; a newer snapshot would skip it, unless nothing is left in front. A rebuild has
    // completed them already.
    long keptUpTo = Math.max(trustedEnd, segments.get(0).baseOffset());
    Snapshots snapshots =
        snapshotsUpTo(clean || point == null ? endOffset : Math.min(keptUpTo, endOffset));
    boolean holdsNothing = endOffset == 0;
    if (!holdsNothing) {
      forceScanned();
    }
    if (swap != null) {
      writeOff(point);
    }
    List<Segment> unforced = new ArrayList<>(abortedDamaged ? segments : scanned);
    unforced.remove(last());
    segments.forEach(Segment::park);
    return new Opened(
        segments,
        unforced,
        !holdsNothing,
        epochs,
        snapshots,
        startOffset,
        trustedEnd,
        new DurableMark(disk, path(SegmentNames.DURABLE_END), marked),
        cut);
  }

  /**
   * What was on disk is taken away by no stop and no power failure. Refuses before anything is cut
   * or removed, so that what is left can still be repaired.
   */
  private void refuseLoss(long endOffset) {
    if (endOffset < durableEnd) {
      throw new DamagedLogException(
          "the log in %s is whole up to offset %d only, but was safely on disk up to %d: its files"
                  .formatted(disk.absolutePath(directory), endOffset, durableEnd)
              + " were damaged or removed. Restore them, or delete "
              + SegmentNames.RECOVERY_POINT
              + " and "
              + SegmentNames.DURABLE_END
              + " there to go on without what is missing");
    }
  }

  /** After a refusal. */
  void closeFiles() {
    segments.forEach(Segment::close);
  }

  private void createDirectory() {
    if (!disk.exists(directory)) {
      disk.createDirectory(directory);
      int slash = directory.lastIndexOf('/');
      disk.forceDirectory(slash < 0 ? "" : directory.substring(0, slash));
    }
  }

  /** Opens what may still hold readable offsets, and removes the rest and orphaned indexes. */
  private void openSegments() {
    TreeSet<Long> bases = new TreeSet<>();
    for (String name : names) {
      long base = SegmentNames.offset(name, SegmentNames.LOG);
      if (base >= 0) {
        bases.add(base);
      }
    }
    for (Long base : List.copyOf(bases)) {
      Long next = bases.higher(base);
      if (next != null && next <= startOffset) {
        disk.delete(path(SegmentNames.name(base, SegmentNames.LOG)));
        bases.remove(base);
      }
    }
    for (String name : names) {
      for (String suffix :
          List.of(SegmentNames.INDEX, SegmentNames.TIME_INDEX, SegmentNames.TXN_INDEX)) {
        long base = SegmentNames.offset(name, suffix);
        if (base >= 0 && !bases.contains(base)) {
          disk.delete(path(name));
        }
      }
    }
    bases.forEach(base -> segments.add(new Segment(disk, directory, base, nowMs)));
  }

  /** Whether the active segment's files look as the clean stop left them. */
  private boolean isUntouchedSince(RecoveryPoint point) {
    RecoveryPoint.StoppedAt stopped = point.stopped();
    if (stopped == null || segments.isEmpty()) {
      return false;
    }
    return last().baseOffset() == stopped.baseOffset() && CleanStop.isUntouched(last(), stopped);
  }

  private void adoptOrScan(boolean clean, long trustedEnd, LeaderEpochs epochs) {
    SegmentScan scan = null;
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (i > 0 && segment.baseOffset() != segments.get(i - 1).nextOffset()) {
        refuseLoss(segments.get(i - 1).nextOffset());
        dropFrom(i);
        return;
      }
      boolean last = i + 1 == segments.size();
      long next = last ? trustedEnd : segments.get(i + 1).baseOffset();
      boolean trusted = last ? clean : next <= trustedEnd;
      if (trusted && adopt(segment, next)) {
        continue;
      }
      if (scan == null) {
        scan = new SegmentScan(cursor, config.indexIntervalBytes());
      }
      scanned.add(segment);
      segment.aborted().truncateToOffset(trustedEnd);
      SegmentScan.Cut needed = scan.run(segment, epochs);
      if (needed != null) {
        refuseLoss(segment.nextOffset());
        cut = needed.sentence();
        needed.make();
        dropFrom(i + 1);
        return;
      }
      segment.seal();
    }
  }

  private void dropFrom(int index) {
    while (segments.size() > index) {
      Segment dropped = segments.remove(segments.size() - 1);
      dropped.close();
      dropped.deleteNames();
    }
    if (index > 0) {
      last().seal();
    }
  }

  /** False if the log itself turns out to be damaged. */
  private boolean adopt(Segment segment, long nextOffset) {
    try {
      segment.adopt(nextOffset, cursor);
      if (!segment.offsets().isSane(segment.log().sizeBytes())
          || !segment.times().isSane()
          || !segment.confirmsMaxTimestamp(cursor, config.indexIntervalBytes())) {
        segment.reindex(cursor, config.indexIntervalBytes());
        segment.forceIndexes();
      }
      return true;
    } catch (DiskException damaged) {
      return false;
    }
  }

  private void startOver(long offset) {
    dropFrom(0);
    scanned.clear();
    segments.add(new Segment(disk, directory, offset, nowMs));
    last().seal();
    scanned.add(last());
  }

  private void repairEpochs(LeaderEpochs epochs, boolean damaged) {
    if (damaged) {
      epochs.clear();
      for (Segment segment : segments) {
        cursor.at(segment, 0, segment.log().sizeBytes());
        while (cursor.next()) {
          epochs.note(cursor.view().leaderEpoch(), cursor.view().baseOffset());
        }
      }
    }
    if (epochs.latestEpoch() >= 0) {
      epochs.save();
    }
  }

  private boolean abortedIndexesFit(RecoveryPoint point, @Nullable SwapPlan swap) {
    for (Segment segment : segments) {
      // What compaction has just put in place is unknown to the recovery point yet.
      boolean isCounted = swap == null || swap.newBase() != segment.baseOffset();
      if (!segment.aborted().isSane(segment.baseOffset(), segment.nextOffset())
          || (isCounted
              && segment.aborted().firstAtOrAbove(point.offset())
                  != point.abortedCount(segment.baseOffset()))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Forces them at once: the recovery point vouches for them, and a torn entry cannot be told from
   * a good one.
   */
  private void rebuildAborted() {
    new AbortedRebuild(cursor).run(segments);
    segments.forEach(segment -> segment.aborted().file().force());
    disk.forceDirectory(directory);
  }

  private Snapshots snapshotsUpTo(long offset) {
    Snapshots snapshots = new Snapshots(disk, directory, names);
    snapshots.dropAbove(offset);
    snapshots.prune(segments);
    return snapshots;
  }

  /** Ends what a crash in the middle of a swap has left. */
  private void writeOff(@Nullable RecoveryPoint point) {
    if (point != null) {
      new RecoveryPoint(
              point.offset(), point.stopped(), RecoveryPoint.countAborted(segments, point.offset()))
          .save(disk, path(SegmentNames.RECOVERY_POINT));
    }
    SwapPlan.remove(disk, directory);
  }

  /** So that nothing which readers will see can vanish when the power fails afterwards. */
  private void forceScanned() {
    if (scanned.isEmpty()) {
      return;
    }
    ForceDoubt doubt = new ForceDoubt(disk, directory);
    boolean isDoubtful = doubt.isRaised();
    doubt.raise();
    for (Segment segment : scanned) {
      if (isDoubtful) {
        segment.writeAnew();
      }
      segment.force();
      segment.forceIndexes();
    }
    disk.forceDirectory(directory);
    doubt.settle();
  }

  private Segment last() {
    return segments.get(segments.size() - 1);
  }

  private String path(String name) {
    return directory + "/" + name;
  }
}
