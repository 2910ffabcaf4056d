package io.fencepost.broker.replica;

/**
 * One partition's part of a fetch.
 *
 * @param currentLeaderEpoch what the client believes, or -1
 * @param maxBytes of records
 * @param atLeastOne return the first batch whole even if it is bigger than {@code maxBytes}
 */
public record FetchRead(
    int currentLeaderEpoch, long offset, int maxBytes, boolean atLeastOne, Isolation isolation) {}
