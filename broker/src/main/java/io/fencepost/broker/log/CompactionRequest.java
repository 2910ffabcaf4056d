package io.fencepost.broker.log;

/**
 * What a run of compaction is to do.
 *
 * @param limitOffset nothing at or above is touched: at most the last stable offset, and what the
 *     log's reader has applied for good
 * @param nowMs wall time of the run, for lags and horizons
 * @param lastBatches of the producers that are alive
 * @param newest memory for the run; lent until it ends
 */
public record CompactionRequest(
    long limitOffset,
    long nowMs,
    CompactionConfig config,
    LastBatches lastBatches,
    KeyOffsets newest) {}
