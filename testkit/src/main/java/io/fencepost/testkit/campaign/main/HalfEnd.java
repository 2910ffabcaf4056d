package io.fencepost.testkit.campaign.main;

import io.fencepost.testkit.campaign.client.Parking;
import io.fencepost.testkit.campaign.client.Workload;
import io.fencepost.txn.main.CoordinatorKey;
import io.fencepost.txn.main.FencepostCluster;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;

/**
 * Lets the coordinator of a commit die when one partition has its marker and the other cannot get
 * it: the next coordinator knows of neither, and writes both. It leaves the broker down.
 */
final class HalfEnd {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_MS = 20;

  private final FencepostCluster cluster;
  private final Workload workload;

  HalfEnd(FencepostCluster cluster, Workload workload) {
    this.cluster = cluster;
    this.workload = workload;
  }

  /** False if a marker was not written twice: another broker led or coordinated in between. */
  boolean play() {
    String id = workload.newNotary();
    int coordinator = cluster.coordinatorOf(CoordinatorKey.transaction(id));
    TreeSet<Integer> others = new TreeSet<>(cluster.brokers());
    others.remove(coordinator);
    int near = partitionOf(others.first());
    int far = partitionOf(others.last());
    long end = cluster.logEnd(Workload.DEEDS, near);
    workload.sign(id, List.of(near, far), () -> cluster.isolate(coordinator, others.last()));
    boolean isRepeated = false;
    // A record and the marker behind it.
    if (isCommitted(near, end + 2)) {
      cluster.kill(coordinator);
      cluster.heal();
      isRepeated = isCommitted(near, end + 3);
    }
    return isRepeated;
  }

  /** One that this broker leads, and will lead on while it is up. */
  private int partitionOf(int broker) {
    int partition = 0;
    while (cluster.replicas(Workload.DEEDS, partition).get(0) != broker) {
      partition++;
    }
    cluster.moveLeader(Workload.DEEDS, partition, broker);
    return partition;
  }

  private boolean isCommitted(int partition, long offset) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0) {
      int leader = cluster.leaderOf(Workload.DEEDS, partition);
      if (cluster.running().contains(leader)
          && cluster.highWatermark(Workload.DEEDS, partition) >= offset) {
        return true;
      }
      Parking.millis(PAUSE_MS);
    }
    return false;
  }
}
