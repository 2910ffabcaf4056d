package io.fencepost.broker.log;

import java.util.List;

/** Which segments, from the oldest on, are no longer wanted. A function of its arguments. */
final class Retention {
  private Retention() {}

  /** How many of the first segments may go; all of them only if the active one holds something. */
  static int removable(List<Segment> segments, LogConfig config, long nowMs, long limitOffset) {
    return Math.max(
        byAge(segments, config.retentionMs(), nowMs, limitOffset),
        bySize(segments, config.retentionBytes(), limitOffset));
  }

  private static int byAge(List<Segment> segments, long retentionMs, long nowMs, long limitOffset) {
    int count = 0;
    if (retentionMs >= 0) {
      while (count < segments.size()
          && mayGo(segments.get(count), limitOffset)
          && nowMs - ageFrom(segments.get(count)) > retentionMs) {
        count++;
      }
    }
    return count;
  }

  private static int bySize(List<Segment> segments, long retentionBytes, long limitOffset) {
    int count = 0;
    if (retentionBytes >= 0) {
      long excess = -retentionBytes;
      for (Segment segment : segments) {
        excess += segment.sizeBytes();
      }
      while (count < segments.size()
          && mayGo(segments.get(count), limitOffset)
          && excess >= segments.get(count).sizeBytes()) {
        excess -= segments.get(count).sizeBytes();
        count++;
      }
    }
    return count;
  }

  private static boolean mayGo(Segment segment, long limitOffset) {
    return !segment.isEmpty() && segment.nextOffset() <= limitOffset;
  }

  private static long ageFrom(Segment segment) {
    return segment.maxTimestamp() >= 0 ? segment.maxTimestamp() : segment.createdMs();
  }
}
