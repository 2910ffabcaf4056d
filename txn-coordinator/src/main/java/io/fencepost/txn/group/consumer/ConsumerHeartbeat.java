package io.fencepost.txn.group.consumer;

import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A ConsumerGroupHeartbeat, free of wire versions. Null means: as I said before.
 *
 * @param memberId empty if the coordinator shall choose one
 * @param memberEpoch 0 to join, -1 to leave, -2 for a static member that will be back
 * @param rebalanceTimeoutMs -1 for: as I said before
 * @param regex a pattern, empty to take it back
 * @param owned what the member has in hand
 */
public record ConsumerHeartbeat(
    String memberId,
    int memberEpoch,
    @Nullable String instanceId,
    @Nullable String rackId,
    int rebalanceTimeoutMs,
    String clientId,
    String clientHost,
    @Nullable SortedSet<String> topicNames,
    @Nullable TopicRegex regex,
    @Nullable String assignor,
    @Nullable PartitionSet owned) {
  static final int JOIN = 0;
  static final int LEAVE = -1;

  public boolean isJoin() {
    return memberEpoch == JOIN;
  }

  public boolean isLeave() {
    return memberEpoch == LEAVE || memberEpoch == MemberProgress.STATIC_LEFT;
  }

  /** A member that says everything wants to hear everything. */
  boolean isFull() {
    boolean subscribes = topicNames != null || regex != null;
    return isJoin() || (rebalanceTimeoutMs >= 0 && subscribes && owned != null);
  }
}
