package io.fencepost.broker.log;

/**
 * What a topic says about the compaction of its logs.
 *
 * @param minDirtyRatio share of bytes written since the last time above which a log is compacted
 * @param minLagMs how long a record surely stays
 * @param maxLagMs after this time a record is compacted, whatever the share
 * @param deleteRetentionMs how long tombstones and markers stay once what they stand for is gone
 */
public record CompactionConfig(
    double minDirtyRatio, long minLagMs, long maxLagMs, long deleteRetentionMs) {

  /** Kafka's defaults. */
  public static CompactionConfig defaults() {
    return new CompactionConfig(0.5, 0, Long.MAX_VALUE, 86_400_000);
  }
}
