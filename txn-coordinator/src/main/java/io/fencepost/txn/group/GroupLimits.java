package io.fencepost.txn.group;

/**
 * What a broker allows its classic groups.
 *
 * @param initialRebalanceDelayMs how long the first rebalance of an empty group waits for more
 *     members (group.initial.rebalance.delay.ms)
 * @param minSessionTimeoutMs group.min.session.timeout.ms
 * @param maxSessionTimeoutMs group.max.session.timeout.ms
 * @param maxSize members in one group at most (group.max.size)
 */
public record GroupLimits(
    int initialRebalanceDelayMs, int minSessionTimeoutMs, int maxSessionTimeoutMs, int maxSize) {
  /** Kafka's defaults, without the wait that only helps large clusters. */
  public static final GroupLimits DEFAULT = new GroupLimits(0, 6_000, 1_800_000, Integer.MAX_VALUE);

  boolean allowsSessionTimeout(int timeoutMs) {
    return timeoutMs >= minSessionTimeoutMs && timeoutMs <= maxSessionTimeoutMs;
  }
}
