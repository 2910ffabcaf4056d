package io.fencepost.broker.log;

/** The producers' state as of an offset (exclusive). */
@SuppressWarnings("ArrayRecordComponent") // a carrier of bytes; nobody compares snapshots
public record Snapshot(long offset, byte[] content) {}
