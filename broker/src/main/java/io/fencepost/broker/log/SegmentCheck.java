package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Finding.Severity;
import io.fencepost.broker.check.Findings;
import org.jspecify.annotations.Nullable;

/**
 * Compares the indexes of one segment with its batches, side by side. The batches come in order of
 * the file; memory does not grow. What is wrong in files that the next start builds anew anyway is
 * repairable.
 */
final class SegmentCheck {
  private static final int OFFSET_ENTRY_BYTES = 8;
  private static final int TIME_ENTRY_BYTES = 12;
  private static final int ABORTED_ENTRY_BYTES = 34;

  private final Segment segment;
  private final long logStart;
  private final boolean isTrusted;
  private final Findings findings;
  private int offsetEntry;
  private int timeEntry;
  private int abortedEntry;
  private long maxTimestamp = BatchView.NO_TIMESTAMP;

  /**
   * @param logStart where the first segment begins
   * @param isTrusted the next start takes the files as they are
   */
  SegmentCheck(Segment segment, long logStart, boolean isTrusted, Findings findings) {
    this.segment = segment;
    this.logStart = logStart;
    this.isTrusted = isTrusted;
    this.findings = findings;
    present(segment.offsets().file());
    present(segment.times().file());
    whole(segment.aborted().file(), ABORTED_ENTRY_BYTES);
  }

  private void present(IndexFile index) {
    if (!index.isOnDisk()) {
      // An empty log gets its indexes with its first batch.
      if (!segment.isEmpty()) {
        report(index.path(), Finding.WHOLE, "the file is missing");
      }
      return;
    }
    whole(index, index == segment.offsets().file() ? OFFSET_ENTRY_BYTES : TIME_ENTRY_BYTES);
  }

  private void whole(IndexFile index, int entryBytes) {
    if (index.isRagged()) {
      report(
          index.path(),
          index.fileBytes(),
          "the file ends inside of an entry of " + entryBytes + " bytes");
    }
  }

  void onBatch(BatchView batch, long position) {
    maxTimestamp = Math.max(maxTimestamp, Segment.timestampOf(batch));
    compareOffsetEntries(batch, position);
    compareTimeEntries(batch);
  }

  private void compareOffsetEntries(BatchView batch, long position) {
    OffsetIndex index = segment.offsets();
    while (offsetEntry < index.count() && index.position(offsetEntry) <= position) {
      long offset = index.offset(offsetEntry);
      int entryPosition = index.position(offsetEntry);
      if (entryPosition != position) {
        offsetEntryIsWrong(
            "says that a batch which ends at offset %d begins at byte %d of the log, where none"
                    .formatted(offset, entryPosition)
                + " begins");
      } else if (offset != batch.lastOffset()) {
        offsetEntryIsWrong(
            "says that the batch at byte %d of the log ends at offset %d, it ends at %d"
                .formatted(entryPosition, offset, batch.lastOffset()));
      }
      offsetEntry++;
    }
  }

  private void offsetEntryIsWrong(String sentence) {
    report(
        segment.offsets().file().path(),
        (long) offsetEntry * OFFSET_ENTRY_BYTES,
        "entry " + offsetEntry + " " + sentence);
  }

  private void compareTimeEntries(BatchView batch) {
    TimeIndex index = segment.times();
    while (timeEntry < index.count() && index.offset(timeEntry) <= batch.lastOffset()) {
      long offset = index.offset(timeEntry);
      long timestamp = index.timestamp(timeEntry);
      if (offset != batch.lastOffset()) {
        timeEntryIsWrong("names offset " + offset + ", at which no batch ends");
      } else if (timestamp != Segment.timestampOf(batch) || timestamp != maxTimestamp) {
        timeEntryIsWrong(
            "says that the greatest timestamp up to offset %d is %d, it is %d"
                .formatted(offset, timestamp, maxTimestamp));
      }
      timeEntry++;
    }
  }

  private void timeEntryIsWrong(String sentence) {
    report(
        segment.times().file().path(),
        (long) timeEntry * TIME_ENTRY_BYTES,
        "entry " + timeEntry + " " + sentence);
  }

  /** The replay of the log says that the marker at its last offset aborted this transaction. */
  void onAborted(AbortedTxn replayed) {
    AbortedTxn found = abortedAt(replayed.lastOffset());
    if (found == null) {
      report(
          segment.aborted().file().path(),
          Finding.WHOLE,
          "the transaction that producer %d aborted at offset %d is missing: readers of committed"
                  .formatted(replayed.producerId(), replayed.lastOffset())
              + " records would see it");
      return;
    }
    String difference = difference(found, replayed);
    if (difference != null) {
      abortedEntryIsWrong(difference);
    }
    abortedEntry++;
  }

  /** An abort marker of whose transaction nothing is known: its entry may be there or not. */
  void onUnknownAborted(long producerId, long markerOffset) {
    AbortedTxn found = abortedAt(markerOffset);
    if (found != null) {
      if (found.producerId() != producerId) {
        abortedEntryIsWrong(
            "says producer %d, the abort marker at offset %d is of producer %d"
                .formatted(found.producerId(), markerOffset, producerId));
      }
      abortedEntry++;
    }
  }

  private @Nullable AbortedTxn abortedAt(long markerOffset) {
    AbortedIndex index = segment.aborted();
    while (abortedEntry < index.count() && index.at(abortedEntry).lastOffset() < markerOffset) {
      strayAbortedEntry();
    }
    AbortedTxn found = abortedEntry < index.count() ? index.at(abortedEntry) : null;
    return found != null && found.lastOffset() == markerOffset ? found : null;
  }

  private @Nullable String difference(AbortedTxn found, AbortedTxn replayed) {
    if (!segment.aborted().hasKnownVersion(abortedEntry)) {
      return "is of a version that does not exist";
    }
    if (found.producerId() != replayed.producerId()) {
      return "says producer %d, the abort marker at offset %d is of producer %d"
          .formatted(found.producerId(), replayed.lastOffset(), replayed.producerId());
    }
    if (found.firstOffset() != replayed.firstOffset()
        // An index that was built anew knows nothing from in front of the log.
        && found.firstOffset() != Math.max(replayed.firstOffset(), logStart)) {
      return "says that the transaction of producer %d began at offset %d, it began at %d"
          .formatted(found.producerId(), found.firstOffset(), replayed.firstOffset());
    }
    if (logStart == 0 && found.lastStableOffset() != replayed.lastStableOffset()) {
      return "says that all was decided up to offset %d, it was up to %d"
          .formatted(found.lastStableOffset(), replayed.lastStableOffset());
    }
    return null;
  }

  private void strayAbortedEntry() {
    AbortedTxn entry = segment.aborted().at(abortedEntry);
    abortedEntryIsWrong(
        "names an abort marker of producer %d at offset %d, where none stands"
            .formatted(entry.producerId(), entry.lastOffset()));
    abortedEntry++;
  }

  private void abortedEntryIsWrong(String sentence) {
    report(
        segment.aborted().file().path(),
        (long) abortedEntry * ABORTED_ENTRY_BYTES,
        "entry " + abortedEntry + " " + sentence);
  }

  /** The file's end is reached: nothing may be left over, and the last time entry must be it. */
  void finish() {
    if (offsetEntry < segment.offsets().count()) {
      offsetEntryIsWrong("and what follows name offsets behind the end of the log");
    }
    int times = segment.times().count();
    if (timeEntry < times) {
      timeEntryIsWrong("and what follows name offsets behind the end of the log");
    } else if (isTrusted
        && maxTimestamp >= 0
        && (times == 0 || segment.times().timestamp(times - 1) != maxTimestamp)) {
      report(
          segment.times().file().path(),
          Finding.WHOLE,
          "the greatest timestamp of the segment, " + maxTimestamp + ", is missing");
    }
    while (abortedEntry < segment.aborted().count()) {
      strayAbortedEntry();
    }
  }

  /** Passes over entries that speak of batches which cannot be read. */
  void skipTo(long position, long nextOffset) {
    while (offsetEntry < segment.offsets().count()
        && segment.offsets().position(offsetEntry) < position) {
      offsetEntry++;
    }
    while (timeEntry < segment.times().count() && segment.times().offset(timeEntry) < nextOffset) {
      timeEntry++;
      maxTimestamp = Math.max(maxTimestamp, segment.times().timestamp(timeEntry - 1));
    }
    while (abortedEntry < segment.aborted().count()
        && segment.aborted().at(abortedEntry).lastOffset() < nextOffset) {
      abortedEntry++;
    }
  }

  private void report(String path, long position, String sentence) {
    findings.add(
        new Finding(isTrusted ? Severity.DAMAGE : Severity.REPAIRABLE, path, position, sentence));
  }
}
