package io.fencepost.broker.replica;

/**
 * A follower asks its leader for more.
 *
 * @param followerId the broker that asks
 * @param brokerEpoch of that broker's registration
 * @param leaderEpoch in which it follows
 * @param offset the end of its log
 * @param lastEpoch the leader epoch of the last batch in its log, or -1: where the two logs part is
 *     found by it (KIP-595)
 * @param knownHighWatermark it waits for news of it, or of records
 * @param knownLogStart likewise
 * @param maxBytes of records; the first batch is always whole
 */
record FollowerFetch(
    int followerId,
    long brokerEpoch,
    int leaderEpoch,
    long offset,
    int lastEpoch,
    long knownHighWatermark,
    long knownLogStart,
    int maxBytes) {}
