package io.fencepost.broker.replica;

import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.CompactionConfig;
import io.fencepost.broker.log.LogConfig;

/**
 * The settings of a topic that its partitions obey.
 *
 * @param appendTime records take the broker's time (message.timestamp.type=LogAppendTime)
 * @param timestampBeforeMaxMs how far behind the broker's clock a record may be
 * @param timestampAfterMaxMs how far ahead of it
 * @param compacted records must have keys
 * @param deleted old segments are removed by time and size
 * @param internal a coordinator replays it, and has to say up to where it may be compacted
 */
public record PartitionConfig(
    FlushPolicy flush,
    int maxMessageBytes,
    boolean appendTime,
    long timestampBeforeMaxMs,
    long timestampAfterMaxMs,
    long producerIdExpirationMs,
    boolean compacted,
    boolean deleted,
    boolean internal,
    int minInsyncReplicas,
    LogConfig log,
    CompactionConfig compaction) {

  /** Kafka's defaults, with this flush policy. */
  public static PartitionConfig defaults(FlushPolicy flush) {
    return new PartitionConfig(
        flush,
        1_048_588,
        false,
        Long.MAX_VALUE,
        3_600_000,
        86_400_000,
        false,
        true,
        false,
        1,
        LogConfig.defaults(),
        CompactionConfig.defaults());
  }

  /** This with other log settings. */
  public PartitionConfig withLog(LogConfig newLog) {
    return new PartitionConfig(
        flush,
        maxMessageBytes,
        appendTime,
        timestampBeforeMaxMs,
        timestampAfterMaxMs,
        producerIdExpirationMs,
        compacted,
        deleted,
        internal,
        minInsyncReplicas,
        newLog,
        compaction);
  }

  /** This with another number of replicas that acks=all needs. */
  public PartitionConfig withMinInsyncReplicas(int newMinimum) {
    return new PartitionConfig(
        flush,
        maxMessageBytes,
        appendTime,
        timestampBeforeMaxMs,
        timestampAfterMaxMs,
        producerIdExpirationMs,
        compacted,
        deleted,
        internal,
        newMinimum,
        log,
        compaction);
  }

  /** This under another policy of cleanup. */
  public PartitionConfig withCleanup(
      boolean newCompacted, boolean newDeleted, CompactionConfig newCompaction) {
    return new PartitionConfig(
        flush,
        maxMessageBytes,
        appendTime,
        timestampBeforeMaxMs,
        timestampAfterMaxMs,
        producerIdExpirationMs,
        newCompacted,
        newDeleted,
        internal,
        minInsyncReplicas,
        log,
        newCompaction);
  }
}
