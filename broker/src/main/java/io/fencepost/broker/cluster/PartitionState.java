package io.fencepost.broker.cluster;

import java.util.List;

/**
 * Who keeps a partition. The leader is one of isr and {@link #NO_LEADER} if there is none; isr and
 * eligible are parts of replicas without a common member. isr is empty only if nobody leads.
 *
 * <p>The leader epoch grows with every election, also when nobody was elected, and with every start
 * of the cluster. It does not grow when only isr changes.
 *
 * @param eligible who left isr while it was smaller than min.insync.replicas: nothing was committed
 *     since without them, so they may lead (KIP-966, ELR)
 * @param lastLeader who led last, if nobody leads now; {@link #NO_LEADER} otherwise
 */
public record PartitionState(
    int partition,
    int leader,
    int leaderEpoch,
    List<Integer> replicas,
    List<Integer> isr,
    List<Integer> eligible,
    int lastLeader) {
  public static final int NO_LEADER = -1;

  public PartitionState {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
    eligible = List.copyOf(eligible);
  }

  /** One whose leader is known, without eligible replicas. */
  public PartitionState(
      int partition, int leader, int leaderEpoch, List<Integer> replicas, List<Integer> isr) {
    this(partition, leader, leaderEpoch, replicas, isr, List.of(), NO_LEADER);
  }

  public boolean hasLeader() {
    return leader != NO_LEADER;
  }

  PartitionState withLeaderEpoch(int epoch) {
    return new PartitionState(partition, leader, epoch, replicas, isr, eligible, lastLeader);
  }
}
