package io.fencepost.broker.replica;

/**
 * A partition's role on this broker at one moment.
 *
 * @param leaderEpoch of whoever leads it
 * @param isLeader whether this broker does
 * @param startOffset where the log ended when this broker was elected: what is below it was written
 *     in earlier terms and counts once the high watermark has reached it; of no meaning for a
 *     follower
 */
public record LeaderTerm(int leaderEpoch, boolean isLeader, long startOffset) {}
