package io.fencepost.broker.cluster;

import java.util.List;

/**
 * Who keeps a partition. The leader is one of isr, isr is a part of replicas; leader -1 means none.
 * The leader epoch grows with every election and with every start of the broker.
 */
public record PartitionState(
    int partition, int leader, int leaderEpoch, List<Integer> replicas, List<Integer> isr) {
  public static final int NO_LEADER = -1;

  public PartitionState {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
  }
}
