package io.fencepost.broker.log;

import io.fencepost.broker.check.Findings;

/** Compares the files of a segment with what a clean stop wrote down about them. */
final class CleanStop {
  private CleanStop() {}

  /** Whether nothing was appended since. */
  static boolean isUntouched(Segment segment, RecoveryPoint.StoppedAt stopped) {
    return segment.log().sizeBytes() == stopped.logBytes()
        && segment.offsets().file().fileBytes() == stopped.indexBytes()
        && segment.times().file().fileBytes() == stopped.timeIndexBytes()
        && segment.aborted().file().fileBytes() == stopped.txnIndexBytes();
  }

  /**
   * The log and its aborted transactions only grow; one that is shorter has lost something. The
   * other indexes may be shorter for good reasons, and a start that finds them so builds them anew.
   */
  static void check(Segment segment, RecoveryPoint point, boolean isClean, Findings findings) {
    RecoveryPoint.StoppedAt stopped = point.stopped();
    if (stopped == null || stopped.baseOffset() != segment.baseOffset() || isClean) {
      return;
    }
    if (segment.log().sizeBytes() < stopped.logBytes()) {
      findings.damage(segment.logPath(), segment.log().sizeBytes(), had(stopped.logBytes()));
    } else if (segment.log().sizeBytes() == stopped.logBytes()) {
      shorter(segment.offsets().file(), stopped.indexBytes(), findings);
      shorter(segment.times().file(), stopped.timeIndexBytes(), findings);
    }
    IndexFile aborted = segment.aborted().file();
    if (aborted.fileBytes() < stopped.txnIndexBytes()) {
      findings.damage(aborted.path(), aborted.fileBytes(), had(stopped.txnIndexBytes()));
    }
  }

  private static void shorter(IndexFile index, long wanted, Findings findings) {
    if (index.fileBytes() < wanted) {
      findings.repairable(
          index.path(), index.fileBytes(), had(wanted) + "; the next start builds it anew");
    }
  }

  private static String had(long bytes) {
    return "the file had %d bytes at the last clean stop".formatted(bytes);
  }
}
