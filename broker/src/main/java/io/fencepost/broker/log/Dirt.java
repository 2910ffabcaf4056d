package io.fencepost.broker.log;

/**
 * How much there is to compact in a log.
 *
 * @param cleanBytes in segments that were compacted before
 * @param dirtyBytes in segments that can be compacted and were not yet
 * @param isOverdue whether max.compaction.lag.ms has passed for some of them
 */
public record Dirt(long cleanBytes, long dirtyBytes, boolean isOverdue) {
  /** Share of what is dirty. */
  public double ratio() {
    return dirtyBytes == 0 ? 0 : (double) dirtyBytes / (cleanBytes + dirtyBytes);
  }

  public boolean isWorthCompacting(CompactionConfig config) {
    return dirtyBytes > 0 && (isOverdue || ratio() > config.minDirtyRatio());
  }
}
