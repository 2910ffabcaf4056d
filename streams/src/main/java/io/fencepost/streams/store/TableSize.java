package io.fencepost.streams.store;

/**
 * How much a table holds. Estimates, as a database on disk knows no more without counting.
 *
 * @param keys entries
 * @param bytes of keys and values, in memory and (compressed) on disk
 */
public record TableSize(long keys, long bytes) {}
