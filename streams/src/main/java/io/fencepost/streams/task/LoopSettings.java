package io.fencepost.streams.task;

import io.fencepost.streams.JobConfig;

/** The numbers that steer a worker's loop. */
public record LoopSettings(
    long pollMs,
    long commitIntervalMs,
    long commitMaxRecords,
    long commitMaxBytes,
    long maxTaskIdleMs,
    long taskTimeoutMs,
    long purgeIntervalMs) {
  public static LoopSettings of(JobConfig config) {
    return new LoopSettings(
        config.pollMs(),
        config.commitIntervalMs(),
        config.commitMaxRecords(),
        config.commitMaxBytes(),
        config.maxTaskIdleMs(),
        config.taskTimeoutMs(),
        config.purgeIntervalMs());
  }
}
