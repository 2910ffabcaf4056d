package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads all files of one partition's log once, front to back, and says what does not fit: batches,
 * offsets, indexes, leader epochs, start and recovery point. Changes nothing; memory does not grow
 * with the log. What the batches mean is the {@link Reader}'s business. Single-threaded.
 */
public final class LogCheck {
  private final Disk disk;
  private final String directory;
  private final boolean mayHaveGaps;
  private final Findings findings;
  private final TreeSet<Long> bases = new TreeSet<>();
  private final TreeSet<Long> snapshots = new TreeSet<>();

  /** Base offset to the name of an index without log. */
  private final TreeMap<Long, String> orphans = new TreeMap<>();

  private @Nullable RecoveryPoint point;
  private @Nullable EpochCheck epochs;
  private @Nullable SegmentCheck current;
  private long startOffset;
  private long nextOffset;
  private long durableEnd;
  private boolean wasCompacted;
  private boolean isBehindHole;
  private boolean isClean;

  /** Follows the batches. Views are valid during the call. */
  public interface Reader {
    /** An intact batch; with all its bytes if it is a control batch. */
    void onBatch(BatchView batch, String file, long position);

    /** Batches are missing here: whatever was known of the producers is not known any more. */
    void onHole();

    /** The file says how the producers stood after all batches so far. */
    void onSnapshot(Snapshot snapshot, String file);
  }

  /**
   * @param mayHaveGaps whether compaction may have removed offsets
   */
  public LogCheck(Disk disk, String directory, boolean mayHaveGaps, Findings findings) {
    this.disk = disk;
    this.directory = directory;
    this.mayHaveGaps = mayHaveGaps;
    this.findings = findings;
  }

  /** Goes through everything. A file that cannot be read is a finding, too. */
  public void run(Reader reader) {
    for (String name : disk.list(directory)) {
      sort(name);
    }
    if (disk.exists(path(SegmentNames.SWAP)) && SwapPlan.load(disk, directory) != null) {
      findings.repairable(
          path(SegmentNames.SWAP),
          Finding.WHOLE,
          "a compaction that the stop cut short; the next start ends it, and until then nothing"
              + " else of this partition can be checked");
      return;
    }
    startOffset = offset(SegmentNames.LOG_START);
    wasCompacted = offset(SegmentNames.COMPACTED) > 0;
    point = loadPoint();
    isClean = isClean();
    long trustedEnd = point == null ? 0 : point.offset();
    durableEnd = Math.max(trustedEnd, loadMark());
    epochs = EpochCheck.load(disk, path(SegmentNames.LEADER_EPOCHS), findings);
    nextOffset = bases.isEmpty() ? startOffset : bases.first();
    for (Long base : bases) {
      try {
        segment(base, reader);
      } catch (DiskException unreadable) {
        findings.damage(
            path(SegmentNames.name(base, SegmentNames.LOG)),
            Finding.WHOLE,
            String.valueOf(unreadable.getMessage()));
        hole(reader);
      }
    }
    showSnapshots(Long.MAX_VALUE, reader);
    finish();
  }

  /** Of the first offset that readers may ask for. */
  public long startOffset() {
    return startOffset;
  }

  /** The offset that the next record would get. */
  public long endOffset() {
    return nextOffset;
  }

  /** Whether what the log tells is not all that was written: compaction took some of it. */
  public boolean wasCompacted() {
    return wasCompacted;
  }

  /** The reader's word, while it is shown the abort marker: this transaction ended with it. */
  public void expectAborted(AbortedTxn replayed) {
    Objects.requireNonNull(current).onAborted(replayed);
  }

  /** The reader's word, while it is shown the abort marker: it cannot tell what that ended. */
  public void acceptAborted(long producerId, long markerOffset) {
    Objects.requireNonNull(current).onUnknownAborted(producerId, markerOffset);
  }

  private void sort(String name) {
    long base = SegmentNames.offset(name, SegmentNames.LOG);
    long snapshot = SegmentNames.offset(name, SegmentNames.SNAPSHOT);
    if (base >= 0) {
      bases.add(base);
    }
    if (snapshot >= 0) {
      snapshots.add(snapshot);
    }
    for (String suffix :
        List.of(SegmentNames.INDEX, SegmentNames.TIME_INDEX, SegmentNames.TXN_INDEX)) {
      long owner = SegmentNames.offset(name, suffix);
      if (owner >= 0 && !disk.exists(path(SegmentNames.name(owner, SegmentNames.LOG)))) {
        orphans.put(owner, name);
      }
    }
  }

  private long offset(String name) {
    String path = path(name);
    if (disk.exists(path) && !OffsetFile.isIntact(disk, path)) {
      findings.damage(path, Finding.WHOLE, "the content does not fit its checksum");
      return 0;
    }
    return OffsetFile.load(disk, path);
  }

  private long loadMark() {
    String path = path(SegmentNames.DURABLE_END);
    if (disk.exists(path) && !DurableMark.isIntact(disk, path)) {
      // It is never forced, so the power can take it at any time, and nothing hangs on it alone.
      findings.repairable(
          path,
          Finding.WHOLE,
          "the content does not fit its checksum, as after a power failure: a torn tail cannot be"
              + " told from a lost one");
      return 0;
    }
    return DurableMark.load(disk, path);
  }

  private @Nullable RecoveryPoint loadPoint() {
    String path = path(SegmentNames.RECOVERY_POINT);
    RecoveryPoint loaded = RecoveryPoint.load(disk, path);
    if (loaded == null && disk.exists(path)) {
      findings.damage(
          path,
          Finding.WHOLE,
          "the content does not fit its checksum: the next start reads the whole log");
    }
    return loaded;
  }

  private boolean isClean() {
    RecoveryPoint.StoppedAt stopped = point == null ? null : point.stopped();
    if (stopped == null || bases.isEmpty() || bases.last() != stopped.baseOffset()) {
      return false;
    }
    Segment active = new Segment(disk, directory, bases.last(), 0);
    try {
      return CleanStop.isUntouched(active, stopped);
    } finally {
      active.close();
    }
  }

  private void segment(long base, Reader reader) {
    Long next = bases.higher(base);
    long trustedEnd = point == null ? 0 : point.offset();
    boolean isTrusted = next == null ? isClean : next <= trustedEnd;
    Segment segment = new Segment(disk, directory, base, 0);
    SegmentWalk walk = new SegmentWalk(segment);
    try {
      if (point != null) {
        CleanStop.check(segment, point, isClean, findings);
        countAborted(segment, point);
      }
      startAt(base, walk, reader);
      SegmentCheck check = new SegmentCheck(segment, bases.first(), isTrusted, findings);
      current = check;
      while (walk.next()) {
        if (walk.isDamage()) {
          damage(walk, isTrusted || next != null, reader);
          check.skipTo(walk.endPosition(), Long.MIN_VALUE);
        } else {
          batch(walk, check, reader);
        }
      }
      check.finish();
    } finally {
      walk.close();
    }
  }

  private void countAborted(Segment segment, RecoveryPoint durable) {
    int wanted = durable.abortedCount(segment.baseOffset());
    int found = segment.aborted().firstAtOrAbove(durable.offset());
    if (found != wanted) {
      String sentence =
          "%d aborted transactions were on disk below offset %d, the file names %d"
              .formatted(wanted, durable.offset(), found);
      String file = segment.aborted().file().path();
      long end = segment.aborted().file().fileBytes();
      // A compaction that was cut short leaves more than is wanted any more.
      if (mayHaveGaps && found > wanted) {
        findings.repairable(file, end, sentence);
      } else {
        findings.damage(file, end, sentence);
      }
    }
  }

  private void startAt(long base, SegmentWalk walk, Reader reader) {
    if (base != nextOffset) {
      if (!isBehindHole) {
        findings.damage(
            walk.path(),
            Finding.WHOLE,
            base > nextOffset
                ? "offsets %d to %d in front of it are missing".formatted(nextOffset, base - 1)
                : "it begins in front of offset %d, where the segment before ends"
                    .formatted(nextOffset));
      }
      hole(reader);
      nextOffset = base;
    }
    isBehindHole = false;
  }

  private void damage(SegmentWalk walk, boolean isTrusted, Reader reader) {
    long bytes = walk.endPosition() - walk.position();
    String what = walk.damage() + " (" + bytes + " bytes)";
    if (!isTrusted && nextOffset >= durableEnd) {
      findings.repairable(
          walk.path(),
          walk.position(),
          what
              + ": writes that the stop cut short and nobody relied on, the next start removes"
              + " them");
    } else if (walk.isTornEnd()) {
      findings.damage(walk.path(), walk.position(), what + ", up to the end of the file");
    } else {
      findings.damage(
          walk.path(),
          walk.position(),
          what + "; intact batches follow at byte " + walk.endPosition());
    }
    hole(reader);
    isBehindHole = true;
  }

  private void batch(SegmentWalk walk, SegmentCheck check, Reader reader) {
    BatchView batch = walk.view();
    if (isBehindHole) {
      check.skipTo(walk.position(), batch.baseOffset());
    } else if (batch.baseOffset() < nextOffset) {
      findings.damage(
          walk.path(),
          walk.position(),
          "offset %d comes after offset %d".formatted(batch.baseOffset(), nextOffset - 1));
    } else if (batch.baseOffset() > nextOffset) {
      gap(walk, batch, reader);
    }
    isBehindHole = false;
    showSnapshots(batch.baseOffset(), reader);
    if (epochs != null) {
      epochs.onBatch(batch, walk.path(), walk.position());
    }
    check.onBatch(batch, walk.position());
    nextOffset = Math.max(nextOffset, batch.nextOffset());
    reader.onBatch(batch.isControl() ? walk.whole() : batch, walk.path(), walk.position());
  }

  private void gap(SegmentWalk walk, BatchView batch, Reader reader) {
    wasCompacted |= mayHaveGaps;
    if (!mayHaveGaps) {
      findings.damage(
          walk.path(),
          walk.position(),
          "offsets %d to %d in front of it are missing"
              .formatted(nextOffset, batch.baseOffset() - 1));
    }
    hole(reader);
  }

  private void hole(Reader reader) {
    reader.onHole();
    if (epochs != null) {
      epochs.onHole();
    }
  }

  /** Those that stand at or in front of the offset and were not shown yet. */
  private void showSnapshots(long offset, Reader reader) {
    while (!snapshots.isEmpty() && snapshots.first() <= offset) {
      long at = snapshots.pollFirst();
      String file = path(SegmentNames.name(at, SegmentNames.SNAPSHOT));
      if (at > nextOffset) {
        String sentence = "it stands behind the end of the log, offset " + nextOffset;
        if (isClean) {
          findings.damage(file, Finding.WHOLE, sentence);
        } else {
          findings.repairable(file, Finding.WHOLE, sentence + "; the next start removes it");
        }
      } else {
        reader.onSnapshot(new Snapshot(disk, file, at), file);
      }
    }
  }

  /**
   * A log is removed before its indexes, so that a kill can leave them: at the front by retention,
   * at the end by a truncation, which lowers the recovery point before.
   */
  private void reportOrphans() {
    long first = bases.isEmpty() ? 0 : bases.first();
    long durableEnd = point == null ? 0 : point.offset();
    orphans.forEach(
        (base, index) -> {
          if (base >= first && base < durableEnd) {
            findings.damage(
                path(SegmentNames.name(base, SegmentNames.LOG)),
                Finding.WHOLE,
                "the file is missing, and " + index + " belongs to it");
          } else {
            findings.repairable(
                path(index), Finding.WHOLE, "it is left of a segment that was removed");
          }
        });
  }

  private void finish() {
    reportOrphans();
    if (durableEnd > nextOffset && (point == null || durableEnd > point.offset())) {
      findings.damage(
          path(SegmentNames.DURABLE_END),
          Finding.WHOLE,
          "the log was on disk up to offset %d and ends at %d now"
              .formatted(durableEnd, nextOffset));
    }
    String snapshot = path(SegmentNames.name(nextOffset, SegmentNames.SNAPSHOT));
    if (isClean && !disk.exists(snapshot)) {
      findings.repairable(
          snapshot,
          Finding.WHOLE,
          "the file, which a clean stop leaves, is missing: the next start reads the log instead");
    }
    if (point != null && point.offset() > nextOffset) {
      findings.damage(
          path(SegmentNames.RECOVERY_POINT),
          Finding.WHOLE,
          "the log was on disk up to offset %d and ends at %d now"
              .formatted(point.offset(), nextOffset));
    }
    if (startOffset > nextOffset) {
      findings.damage(
          path(SegmentNames.LOG_START),
          Finding.WHOLE,
          "the log begins at offset %d and ends at %d".formatted(startOffset, nextOffset));
    }
    if (!bases.isEmpty()) {
      startOffset = Math.max(startOffset, bases.first());
    }
    if (epochs != null) {
      epochs.finish(startOffset, nextOffset);
    }
  }

  private String path(String name) {
    return directory + "/" + name;
  }
}
