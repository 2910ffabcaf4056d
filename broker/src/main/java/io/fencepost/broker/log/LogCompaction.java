package io.fencepost.broker.log;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A log's part in its compaction: says what may be compacted, and puts new segments in place of old
 * ones. Part of {@link PartitionLog}, under the same gate. All methods throw {@link DiskException}.
 *
 * <p>Only sealed segments below the recovery point are touched: they are on disk, and so is all
 * that makes their records obsolete.
 */
public final class LogCompaction {
  /** What the swap works on; the lists are the log's own. */
  record Parts(
      Disk disk,
      String directory,
      List<Segment> segments,
      Durability durability,
      Snapshots snapshots,
      DroppedFiles dropped,
      LogReader reader) {}

  private final PartitionLog log;
  private final Parts parts;
  private final String offsetPath;
  private long compactedOffset;
  private @Nullable Compaction running;

  /** A swap was done and could not be written off yet. */
  private boolean isPlanLeft;

  /** A swap was decided and is not done: only an open of the log can end it. */
  private boolean isHalfSwapped;

  LogCompaction(PartitionLog log, Parts parts) {
    this.log = log;
    this.parts = parts;
    this.offsetPath = parts.directory + "/" + SegmentNames.COMPACTED;
    this.compactedOffset = OffsetFile.load(parts.disk, offsetPath);
  }

  /** How many of the first segments may be compacted. */
  private int cleanableCount(long limitOffset, long nowMs, CompactionConfig config) {
    int count = 0;
    for (Segment segment : parts.segments.subList(0, parts.segments.size() - 1)) {
      boolean isTooYoung =
          config.minLagMs() > 0
              && segment.nextOffset() > compactedOffset
              && segment.maxTimestamp() > nowMs - config.minLagMs();
      if (segment.nextOffset() > limitOffset || isTooYoung) {
        break;
      }
      count++;
    }
    return count;
  }

  /** How much there is to compact below the limit. */
  public Dirt dirt(long limitOffset, long nowMs, CompactionConfig config) {
    long clean = 0;
    long dirty = 0;
    boolean isOverdue = false;
    for (Segment segment : parts.segments.subList(0, cleanableCount(limitOffset, nowMs, config))) {
      if (segment.nextOffset() <= compactedOffset) {
        clean += segment.sizeBytes();
      } else {
        dirty += segment.sizeBytes();
        isOverdue |= nowMs - segment.oldestMs() > config.maxLagMs();
      }
    }
    return new Dirt(clean, dirty, isOverdue);
  }

  /** Null if there is nothing to do, or a run is under way. */
  public @Nullable Compaction begin(CompactionRequest request) {
    log.requireWritable();
    long limit = Math.min(request.limitOffset(), parts.durability.recoveryPoint());
    int count = cleanableCount(limit, request.nowMs(), request.config());
    if (running != null || count == 0) {
      return null;
    }
    List<Segment> sources = List.copyOf(parts.segments.subList(0, count));
    long end = sources.get(count - 1).nextOffset();
    if (end <= compactedOffset) {
      return null;
    }
    writeOffPlan();
    running =
        new Compaction(
            sources,
            parts.reader.aborted(sources.get(0).baseOffset(), end),
            request,
            log.config(),
            compactedOffset);
    return running;
  }

  /**
   * What the run waits for.
   *
   * @param nowMs wall time
   * @param nowNanos monotonic time, for how long replaced files stay open
   */
  public void settle(Compaction run, long nowMs, long nowNanos) {
    log.requireWritable();
    if (run != running) {
      throw new DiskException("the log in " + parts.directory + " was opened anew meanwhile");
    }
    switch (run.phase()) {
      case OPEN -> open(run, nowMs);
      case SWAP -> swap(run, nowMs, nowNanos + log.config().fileDeleteDelayMs() * 1_000_000);
      case FINISH -> finish(run);
      case SCAN, COPY, DONE -> {
        // Nothing waits for the log.
      }
    }
  }

  private void open(Compaction run, long nowMs) {
    requirePresent(run.group());
    Segment first = run.group().get(0);
    deleteCleaned(first.baseOffset());
    Segment target =
        new Segment(parts.disk, parts.directory, first.baseOffset(), nowMs, SegmentNames.CLEANED);
    run.onOpened(target);
    // All names are made here, under the gate: later the directory may be gone.
    target.seal();
  }

  private void requirePresent(List<Segment> group) {
    int index = parts.segments.indexOf(group.get(0));
    int end = index + group.size();
    if (index < 0
        || end >= parts.segments.size()
        || !parts.segments.subList(index, end).equals(group)) {
      throw new DiskException(
          "segments of %s went while they were compacted".formatted(parts.directory));
    }
  }

  private void swap(Compaction run, long nowMs, long closeAtNanos) {
    requirePresent(run.group());
    Segment written = run.target();
    if (!run.isChanged()) {
      written.close();
      deleteCleaned(written.baseOffset());
      run.onSwapped();
      return;
    }
    try {
      replace(run.group(), written, nowMs, closeAtNanos);
    } catch (DiskException refused) {
      throw isHalfSwapped ? log.fail("has a half-done compaction", refused) : refused;
    }
    run.onSwapped();
    writeOffPlan();
  }

  private void replace(List<Segment> group, Segment written, long nowMs, long closeAtNanos) {
    List<Segment> old = List.copyOf(group);
    List<Long> bases = new ArrayList<>();
    old.forEach(segment -> bases.add(segment.baseOffset()));
    // An older snapshot may wait for a marker that is going to be removed.
    parts.snapshots.dropBelow(old.get(old.size() - 1).nextOffset());
    parts.disk.forceDirectory(parts.directory);
    SwapPlan plan = new SwapPlan(bases, written.log().sizeBytes());
    isHalfSwapped = true;
    decide(plan);
    plan.carryOut(parts.disk, parts.directory);
    Segment fresh = new Segment(parts.disk, parts.directory, bases.get(0), nowMs);
    fresh.adoptFrom(written);
    written.close();
    int index = parts.segments.indexOf(old.get(0));
    parts.segments.subList(index, index + old.size()).clear();
    parts.segments.add(index, fresh);
    fresh.park();
    for (Segment gone : old) {
      parts.durability.onReplaced(gone);
      parts.dropped.add(gone, closeAtNanos);
    }
    isPlanLeft = true;
    isHalfSwapped = false;
  }

  private void decide(SwapPlan plan) {
    try {
      plan.save(parts.disk, parts.directory);
    } catch (DiskException refused) {
      // Without the file nothing was decided; with it, nobody knows.
      isHalfSwapped = parts.disk.exists(parts.directory + "/" + SegmentNames.SWAP);
      throw refused;
    }
  }

  /** The recovery point counts markers in segments: it has to know the new ones first. */
  private void writeOffPlan() {
    if (isPlanLeft) {
      parts.durability.rewriteRecoveryPoint();
      SwapPlan.remove(parts.disk, parts.directory);
      isPlanLeft = false;
    }
  }

  private void finish(Compaction run) {
    OffsetFile.save(parts.disk, offsetPath, run.endOffset());
    compactedOffset = run.endOffset();
    running = null;
    run.onFinished();
  }

  /** Ends a run that cannot go on; what it has swapped stays. Never throws. */
  public void abandon(Compaction run) {
    Segment unfinished = run.unfinished();
    boolean isOurs = run == running;
    if (isOurs) {
      running = null;
    }
    try {
      run.abandon();
      // A log that failed or is closed may have been opened by somebody else already.
      if (isOurs && unfinished != null && log.failure() == null) {
        deleteCleaned(unfinished.baseOffset());
      }
    } catch (DiskException refused) {
      // The next run, or the next open, removes what is left.
      return;
    }
  }

  private void deleteCleaned(long base) {
    for (String suffix : List.of(SegmentNames.LOG, SegmentNames.INDEX, SegmentNames.TIME_INDEX)) {
      parts.disk.delete(
          parts.directory + "/" + SegmentNames.name(base, suffix) + SegmentNames.CLEANED);
    }
  }

  /** The log ends here now. */
  void onTruncate(long endOffset) {
    if (compactedOffset > endOffset) {
      OffsetFile.save(parts.disk, offsetPath, endOffset);
      compactedOffset = endOffset;
    }
  }

  /** Before an open reads the segments: carries out what was decided, removes what was not. */
  static @Nullable SwapPlan recover(Disk disk, String directory, List<String> names) {
    SwapPlan plan = null;
    if (names.contains(SegmentNames.SWAP)) {
      plan = SwapPlan.load(disk, directory);
      if (plan == null) {
        throw new DiskException(
            "%s is damaged, so the log there cannot be opened: restore the file"
                .formatted(disk.absolutePath(directory + "/" + SegmentNames.SWAP)));
      }
      plan.carryOut(disk, directory);
    }
    for (String name : names) {
      if (name.endsWith(SegmentNames.CLEANED)) {
        disk.delete(directory + "/" + name);
      }
    }
    return plan;
  }
}
