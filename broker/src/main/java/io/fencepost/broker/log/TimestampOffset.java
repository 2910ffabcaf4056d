package io.fencepost.broker.log;

/** A record found by time. */
public record TimestampOffset(long timestamp, long offset, int leaderEpoch) {}
