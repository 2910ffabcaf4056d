package io.fencepost.streams.jdbc;

/**
 * What a worker is told.
 *
 * @param startsAtEnd where to begin in a partition that the database does not know
 */
record SinkSettings(long pollMs, long taskTimeoutMs, boolean startsAtEnd) {}
