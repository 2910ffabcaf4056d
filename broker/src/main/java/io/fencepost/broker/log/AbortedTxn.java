package io.fencepost.broker.log;

/**
 * A transaction that was aborted in this partition.
 *
 * @param firstOffset of its first record
 * @param lastOffset of its abort marker
 * @param lastStableOffset of the partition once this marker was in
 */
public record AbortedTxn(
    long producerId, long firstOffset, long lastOffset, long lastStableOffset) {}
