package io.fencepost.txn.group;

/**
 * A committed offset as it was logged.
 *
 * @param leaderEpoch of the last record consumed, -1 if the client did not say
 * @param metadata the client's note
 * @param commitMs wall time of the commit
 * @param expireMs wall time at which it expires whatever the retention is, -1 for most
 * @param logOffset where in the offsets log it stands: the later one counts
 */
public record StoredOffset(
    long offset, int leaderEpoch, String metadata, long commitMs, long expireMs, long logOffset) {}
