package io.fencepost.testkit.campaign.main;

import io.fencepost.testkit.campaign.Fault;
import io.fencepost.testkit.campaign.Step;
import io.fencepost.testkit.campaign.client.Parking;
import io.fencepost.testkit.campaign.client.Workload;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.txn.main.CoordinatorKey;
import io.fencepost.txn.main.FencepostCluster;
import io.fencepost.txn.main.Unforced;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Does to a cluster and to those who work with it what a plan says. Single-threaded. */
final class Siege {
  private static final Duration LAG = Duration.ofMillis(700);
  private static final int MOVES = 10;
  private static final long MOVE_PAUSE_MS = 100;
  private static final int CLIENTS_TRIED = 9;
  private static final int HALF_ENDS_TRIED = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private final FencepostCluster cluster;
  private final Workload workload;
  private final EnumMap<Fault, Integer> fired = new EnumMap<>(Fault.class);

  Siege(FencepostCluster cluster, Workload workload) {
    this.cluster = cluster;
    this.workload = workload;
  }

  /** How often each kind was done. */
  Map<Fault, Integer> fired() {
    return fired;
  }

  /** Returns what is there to be said of it; empty if it was simply done. */
  String take(Step step) {
    try {
      if (!isDone(step)) {
        return "nothing there to do it to";
      }
      fired.merge(step.fault(), 1, Integer::sum);
      return "";
    } catch (IllegalStateException refused) {
      if (step.fault() == Fault.SETTLE) {
        throw refused;
      }
      return String.valueOf(refused.getMessage());
    }
  }

  private boolean isDone(Step step) {
    int broker = step.target();
    if (step.fault().hurtsBroker()) {
      workload.calm().disturb();
    }
    switch (step.fault()) {
      case KILL -> cluster.kill(broker);
      case KILL_UNFORCED_LOST -> cluster.kill(broker, Unforced.LOST);
      case STOP -> cluster.stop(broker);
      case WIPE -> {
        cluster.kill(broker);
        cluster.wipe(broker);
      }
      case ISOLATE -> cluster.isolate(broker);
      case ISOLATE_FROM_ONE -> cluster.isolate(broker, step.other());
      case LAG -> cluster.lag(broker, LAG);
      case MOVE_LEADER -> cluster.moveLeader(Pipeline.INPUT, step.target() - 1, step.other());
      case MOVE_TRANSACTION_COORDINATOR ->
          cluster.moveCoordinator(
              CoordinatorKey.transaction(workload.crew().transactionalId(step.target())));
      case MOVE_GROUP_COORDINATOR -> cluster.moveCoordinator(CoordinatorKey.group(Pipeline.GROUP));
      case KILL_JOB -> workload.crew().kill(step.target());
      case ZOMBIE_JOB -> {
        return workload.crew().turnIntoZombie(step.target());
      }
      case STALE_MEMBER -> {
        return workload.crew().makeStale(step.target());
      }
      case HANG -> workload.hang();
      case RESTART -> cluster.restart(broker);
      case HEAL -> cluster.heal();
      case SETTLE -> settle();
    }
    return true;
  }

  /**
   * What a plan leaves to chance, so that each guarantee has had its chance to be broken: decided
   * ends are carried out by another coordinator, also if some of their markers are written already,
   * and what clients were to be hit by and were not. All replicas are in sync before and after.
   *
   * @return what could not be made up for; empty if nothing
   */
  String makeUp() {
    boolean isRepeated = false;
    for (int i = 0; i < HALF_ENDS_TRIED && !isRepeated; i++) {
      workload.calm().disturb();
      isRepeated = new HalfEnd(cluster, workload).play();
      settle();
    }
    for (int i = 0; i < MOVES; i++) {
      workload.busyIds().forEach(this::moveCoordinator);
      Parking.millis(MOVE_PAUSE_MS);
    }
    // An instance may have nothing to do, or die before it comes to it.
    int jobs = workload.crew().size();
    for (int i = 0; i < CLIENTS_TRIED && !workload.lacking().isEmpty(); i++) {
      for (Fault fault : workload.lacking()) {
        var unused = take(new Step(0, 0, fault, 1 + i % jobs, 0));
      }
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (!workload.lacking().isEmpty() && System.nanoTime() - end < 0) {
        Parking.millis(MOVE_PAUSE_MS);
      }
    }
    return (isRepeated ? "" : ", but no marker was written again")
        + (workload.lacking().isEmpty() ? "" : ", but nothing came of " + workload.lacking());
  }

  private void moveCoordinator(String transactionalId) {
    try {
      var unused = cluster.moveCoordinator(CoordinatorKey.transaction(transactionalId));
    } catch (IllegalStateException refused) {
      // Its last move is not over yet.
      Parking.millis(MOVE_PAUSE_MS);
    }
  }

  /** Repairs everything, and waits until all replicas are in sync. */
  void settle() {
    cluster.heal();
    for (int broker : cluster.brokers()) {
      if (!cluster.running().contains(broker)) {
        cluster.restart(broker);
      }
    }
    cluster.awaitAllInSync();
    workload.calm().settle();
  }
}
