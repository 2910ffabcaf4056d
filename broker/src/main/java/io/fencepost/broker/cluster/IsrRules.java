package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.WireError;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Whether a leader gets the replicas in sync that it asks for, with Kafka's error codes. */
final class IsrRules {
  private IsrRules() {}

  /**
   * @param leader who asks
   * @param partition the partition as it is; its topic has the id that the change names
   */
  static WireError problem(
      ClusterState state, int leader, PartitionState partition, IsrChange change) {
    if (change.leaderEpoch() < partition.leaderEpoch()) {
      return WireError.FENCED_LEADER_EPOCH;
    }
    if (change.leaderEpoch() > partition.leaderEpoch()) {
      return WireError.UNKNOWN_LEADER_EPOCH;
    }
    if (partition.leader() != leader) {
      return WireError.INVALID_REQUEST;
    }
    if (!new TreeSet<>(change.expected()).equals(new TreeSet<>(partition.isr()))) {
      return WireError.INVALID_UPDATE_VERSION;
    }
    if (isResignation(leader, change)) {
      return WireError.NONE;
    }
    if (!partition.replicas().containsAll(change.wanted())) {
      return WireError.INVALID_REQUEST;
    }
    for (int broker : change.wanted()) {
      boolean isIn = partition.isr().contains(broker);
      if (!isIn && !isCurrent(state, broker, change.brokerEpochs().get(broker))) {
        return WireError.INELIGIBLE_REPLICA;
      }
    }
    return WireError.NONE;
  }

  /** Whether the leader asks to be relieved, whoever may take over. */
  static boolean isResignation(int leader, IsrChange change) {
    return !change.wanted().contains(leader);
  }

  private static boolean isCurrent(ClusterState state, int broker, @Nullable Long epoch) {
    Member member = state.members().get(broker);
    return member != null && member.isAlive() && epoch != null && member.epoch() == epoch;
  }
}
