package io.fencepost.testkit.junit;

import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.txn.main.CoordinatorKey;
import io.fencepost.txn.main.FencepostCluster;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does to a cluster in this JVM what a plan says, beside the requests. A broker that is killed
 * comes back at once. Thread-safe.
 */
final class Acts implements Consumer<Fired>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Acts.class);
  private static final Set<FaultKind> OF_BROKERS =
      EnumSet.of(
          FaultKind.KILL_BROKER,
          FaultKind.RESTART_BROKER,
          FaultKind.MOVE_LEADER,
          FaultKind.MOVE_COORDINATOR,
          FaultKind.ISOLATE_BROKER);

  private final TestCluster cluster;
  private final Runnable restartJob;
  private volatile boolean isIsolated;
  private final ScheduledExecutorService later =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "fault-acts");
            thread.setDaemon(true);
            return thread;
          });

  Acts(TestCluster cluster, Runnable restartJob) {
    this.cluster = cluster;
    this.restartJob = restartJob;
  }

  /**
   * Before anything runs.
   *
   * @throws IllegalArgumentException if something of the plan can't be done in a test's JVM
   */
  static void requirePossible(FaultPlan plan, boolean isForeignCluster) {
    for (PlannedFault fault : plan.faults()) {
      FaultKind kind = fault.action().kind();
      if (fault.point().place() != FaultPoint.Place.WIRE) {
        throw new IllegalArgumentException(
            "'%s' can't be done to a job in a test: between it and its brokers pass requests, so name one of these, as Produce, TxnOffsetCommit or EndTxn"
                .formatted(fault));
      }
      boolean isOfBrokers = OF_BROKERS.contains(kind);
      if (kind.isAct() && !isOfBrokers && kind != FaultKind.RESTART_JOB) {
        throw new IllegalArgumentException(
            "'%s' can't be done to a job in a test, which shares its process and machine with it; what can: restart job, and kill, restart or isolate broker, move leader, move coordinator"
                .formatted(fault));
      }
      if (isOfBrokers && isForeignCluster) {
        throw new IllegalArgumentException(
            "'%s' can only be done to brokers in this JVM".formatted(fault));
      }
    }
  }

  @Override
  public void accept(Fired fired) {
    FaultAction action = fired.action();
    FaultFacts facts = fired.facts();
    switch (action.kind()) {
      case RESTART_JOB -> later.execute(() -> logged(fired, restartJob));
      case KILL_BROKER -> {
        brokers().kill(broker(action, facts));
        brokers().restart(broker(action, facts));
      }
      case RESTART_BROKER -> {
        brokers().stop(broker(action, facts));
        brokers().restart(broker(action, facts));
      }
      case MOVE_LEADER -> moveLeader(action, facts);
      case MOVE_COORDINATOR -> {
        int coordinator = brokers().moveCoordinator(coordinated(facts));
        LOG.info("{}: broker {} coordinates from now on", fired, coordinator);
      }
      case ISOLATE_BROKER -> isolate(broker(action, facts), action.duration());
      default -> throw new IllegalStateException(fired + " is none of the acts of a test");
    }
  }

  private void isolate(int broker, Duration length) {
    isIsolated = true;
    brokers().isolate(broker);
    Future<?> healing = later.schedule(this::heal, length.toMillis(), TimeUnit.MILLISECONDS);
    LOG.info("broker {} is cut off for {}: {}", broker, length, healing);
  }

  /** All brokers reach each other again. */
  void heal() {
    if (isIsolated) {
      isIsolated = false;
      brokers().heal();
    }
  }

  private void moveLeader(FaultAction action, FaultFacts facts) {
    String of = action.of() == null ? String.valueOf(facts.partitions().get(0)) : action.of();
    int line = of.lastIndexOf('-');
    String topic = of.substring(0, line);
    int partition = Integer.parseInt(of.substring(line + 1));
    int leader = brokers().leaderOf(topic, partition);
    for (int replica : brokers().isr(topic, partition)) {
      if (replica != leader) {
        brokers().moveLeader(topic, partition, replica);
        return;
      }
    }
    throw new IllegalStateException("nobody else can lead " + of);
  }

  private static CoordinatorKey coordinated(FaultFacts facts) {
    if (facts.transactionalId() != null) {
      return CoordinatorKey.transaction(facts.transactionalId());
    }
    if (facts.group() != null) {
      return CoordinatorKey.group(facts.group());
    }
    throw new IllegalStateException("the request has neither a transactional id nor a group");
  }

  private static int broker(FaultAction action, FaultFacts facts) {
    return action.number() > 0 ? action.number() : Math.max(1, facts.broker());
  }

  private FencepostCluster brokers() {
    return cluster.brokers();
  }

  private static void logged(Fired fired, Runnable act) {
    try {
      act.run();
    } catch (RuntimeException e) {
      LOG.error("{} could not be done", fired, e);
    }
  }

  @Override
  public void close() {
    later.shutdownNow();
  }
}
