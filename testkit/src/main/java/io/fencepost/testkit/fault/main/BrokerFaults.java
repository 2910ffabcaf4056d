package io.fencepost.testkit.fault.main;

import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.txn.main.BrokerTrial;
import io.fencepost.txn.main.ClusterConfig;
import io.fencepost.txn.main.CoordinatorKey;
import io.fencepost.txn.main.FencepostCluster;
import io.fencepost.txn.main.StartForTesting;
import io.fencepost.txn.main.Unforced;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in this process whose brokers ask a {@link Faults} at each of their steps, and to which
 * acts on brokers are done, from wherever they are decided. Thread-safe.
 *
 * <p>What a broker's own thread decides takes effect before its step goes on as far as one thread
 * can bring that about: a broker that is killed in the midst of a step does nothing more and
 * answers nobody. What needs the locks of others (that the cluster notices, moves of leaders,
 * isolation) follows at once in another thread, one act after the other. A broker that died comes
 * back by itself, as under a supervisor, unless it is told not to.
 */
public final class BrokerFaults implements AutoCloseable {
  /** How long a broker that died stays away. */
  public static final Duration RESTART_AFTER = Duration.ofMillis(300);

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final EnumMap<BrokerSteps.Step, FaultPoint> POINTS =
      new EnumMap<>(BrokerSteps.Step.class);

  static {
    for (BrokerSteps.Step step : BrokerSteps.Step.values()) {
      POINTS.put(step, FaultPoints.of(step.name().toLowerCase(Locale.ROOT).replace('_', '-')));
    }
  }

  private final @Nullable Duration restartAfter;
  private final Map<Integer, BrokerTrial> trials = new TreeMap<>();
  private final ScheduledExecutorService acts =
      Executors.newSingleThreadScheduledExecutor(task -> daemon("fencepost-acts", task));

  /** Apart, since an act may have to wait for a broker that stands still. */
  private final ScheduledExecutorService endings =
      Executors.newSingleThreadScheduledExecutor(task -> daemon("fencepost-act-ends", task));

  private final List<String> troubles = new ArrayList<>();
  private final FencepostCluster cluster;
  private volatile @Nullable Asked asked;

  /**
   * Who says what is due at a step.
   *
   * @param others does what is decided there and is none of the acts that are done here
   */
  private record Asked(Faults faults, Consumer<Fired> others) {}

  private BrokerFaults(
      ClusterConfig config, @Nullable Faults faults, @Nullable Duration restartAfter) {
    this.restartAfter = restartAfter;
    use(faults);
    for (int broker = 1; broker <= config.brokers(); broker++) {
      int id = broker;
      trials.put(id, new BrokerTrial((step, partition) -> pass(id, step, partition)));
    }
    this.cluster = StartForTesting.cluster(config, trials::get);
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Brokers that die come back after {@link #RESTART_AFTER}. */
  public static BrokerFaults start(ClusterConfig config, Faults faults) {
    return start(config, faults, RESTART_AFTER);
  }

  /**
   * @param faults null for none until {@link #use}
   * @param restartAfter how long a broker that died stays away; null for ever
   */
  public static BrokerFaults start(
      ClusterConfig config, @Nullable Faults faults, @Nullable Duration restartAfter) {
    return new BrokerFaults(config, faults, restartAfter);
  }

  /** The cluster, which goes on as long as this. */
  public FencepostCluster cluster() {
    return cluster;
  }

  /**
   * Asks this one from now on; null asks nobody. Acts on jobs that it decides at a step are {@link
   * #troubles} here.
   */
  public final void use(@Nullable Faults next) {
    asked = next == null ? null : new Asked(next, this::refuse);
  }

  /**
   * Asks this one from now on.
   *
   * @param others does acts on jobs that are decided at a broker's step; called on the broker's
   *     thread, so it must not wait
   */
  public void use(Faults next, Consumer<Fired> others) {
    asked = new Asked(next, others);
  }

  private void refuse(Fired fired) {
    tell("'%s' is nothing that is done to a broker".formatted(fired.action()));
  }

  /** Whether acts of this kind are done here. */
  public static boolean does(FaultKind kind) {
    return switch (kind) {
      case KILL_BROKER,
          PAUSE_BROKER,
          RESTART_BROKER,
          MOVE_LEADER,
          MOVE_COORDINATOR,
          ISOLATE_BROKER,
          FILL_DISK,
          FAIL_FORCE,
          TEAR_TAIL,
          JUMP_CLOCK ->
          true;
      case REQUEST_LOST,
          ANSWER_LOST,
          DELAYED,
          DUPLICATED,
          ANSWERED,
          FAILED,
          KILL_JOB,
          PAUSE_JOB,
          RESTART_JOB ->
          false;
    };
  }

  /** What could not be done, in words: a broker that was down already, nobody to take over. */
  public List<String> troubles() {
    synchronized (troubles) {
      return List.copyOf(troubles);
    }
  }

  /**
   * Does an act that was decided outside of the brokers, in front of them or in a job; returns once
   * it is done, not once it is over.
   *
   * @param facts of the call, which say what the act means if it does not say so itself
   */
  public void perform(FaultAction action, FaultFacts facts) {
    await(act(action, facts));
  }

  /** All that was to be done by now is done; what lasts for a time may still last. */
  public void awaitDone() {
    await(submit(() -> {}));
  }

  /** Nothing is broken any more, and all brokers are up and in sync. */
  public void settle() {
    use(null);
    trials.values().forEach(BrokerFaults::mend);
    await(submit(this::restore));
    cluster.awaitAllInSync();
  }

  private void restore() {
    cluster.heal();
    for (int broker : cluster.brokers()) {
      restartIfDown(broker);
    }
  }

  private static void mend(BrokerTrial trial) {
    trial.resume();
    trial.freeDisk();
  }

  private void restartIfDown(int broker) {
    if (!cluster.running().contains(broker)) {
      cluster.restart(broker);
    }
  }

  private void pass(int broker, BrokerSteps.Step step, TopicPartition partition) {
    Asked now = asked;
    if (now == null) {
      return;
    }
    FaultFacts facts =
        FaultFacts.NONE.broker(broker).partition(partition.topic(), partition.partition());
    Decision decision = now.faults().decide(Objects.requireNonNull(POINTS.get(step)), facts);
    for (Fired fired : decision.acts()) {
      if (does(fired.action().kind())) {
        var unused = act(fired.action(), facts);
      } else {
        now.others().accept(fired);
      }
    }
    Fired change = decision.change();
    if (change != null) {
      change(change.action(), step, partition);
    }
  }

  private static void change(FaultAction action, BrokerSteps.Step step, TopicPartition partition) {
    if (action.kind() == FaultKind.DELAYED) {
      long end = System.nanoTime() + action.duration().toNanos();
      while (end - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
    } else {
      throw new DiskException(step + " of " + partition + " fails, as the fault plan says");
    }
  }

  /** Begins with what takes no lock of any broker; the rest is done in the thread of the acts. */
  private Future<?> act(FaultAction action, FaultFacts facts) {
    int broker = action.number() > 0 ? action.number() : facts.broker();
    boolean isOfBroker =
        action.kind() != FaultKind.MOVE_LEADER && action.kind() != FaultKind.MOVE_COORDINATOR;
    BrokerTrial trial = trials.get(broker);
    if (isOfBroker && trial == null) {
      return submit(
          () -> {
            throw new IllegalStateException("there is no broker " + broker + " to do it to");
          });
    }
    if (trial != null) {
      begin(action, trial);
    }
    return submit(() -> finish(action, facts, broker));
  }

  private void begin(FaultAction action, BrokerTrial trial) {
    switch (action.kind()) {
      case KILL_BROKER, TEAR_TAIL -> trial.strikeDead();
      case PAUSE_BROKER -> {
        trial.pause();
        after(action.duration(), trial::resume);
      }
      case FILL_DISK -> {
        trial.fillDisk();
        after(action.duration(), trial::freeDisk);
      }
      case FAIL_FORCE -> trial.failNextForce();
      case JUMP_CLOCK -> trial.jumpClock(action.duration());
      default -> {}
    }
  }

  private void finish(FaultAction action, FaultFacts facts, int broker) {
    switch (action.kind()) {
      case KILL_BROKER -> kill(broker, Unforced.KEPT);
      case TEAR_TAIL -> kill(broker, Unforced.TORN);
      case RESTART_BROKER -> {
        cluster.stop(broker);
        cluster.restart(broker);
      }
      case PAUSE_BROKER, ISOLATE_BROKER -> {
        cluster.isolate(broker);
        after(action.duration(), () -> cluster.rejoin(broker));
      }
      case MOVE_LEADER -> moveLeaders(partitions(action, facts));
      case MOVE_COORDINATOR -> moveCoordinator(action, facts);
      default -> {}
    }
  }

  private void kill(int broker, Unforced unforced) {
    cluster.kill(broker, unforced);
    Duration away = restartAfter;
    if (away != null) {
      after(away, () -> restartSoon(broker));
    }
  }

  private void restartSoon(int broker) {
    var unused = submit(() -> restartIfDown(broker));
  }

  private static List<TopicPartition> partitions(FaultAction action, FaultFacts facts) {
    String of = action.of();
    if (of == null) {
      return facts.partitions();
    }
    int line = of.lastIndexOf('-');
    return List.of(
        new TopicPartition(of.substring(0, line), Integer.parseInt(of.substring(line + 1))));
  }

  private void moveLeaders(List<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      throw new IllegalStateException("nothing is moved, as the call names no log");
    }
    partitions.forEach(this::moveLeader);
  }

  private void moveLeader(TopicPartition partition) {
    String topic = partition.topic();
    int leader = cluster.leaderOf(topic, partition.partition());
    for (int other : cluster.isr(topic, partition.partition())) {
      if (other != leader) {
        cluster.moveLeader(topic, partition.partition(), other);
        return;
      }
    }
    throw new IllegalStateException("nobody else can lead " + partition);
  }

  /** Of a step, the one whose log it is; a name may be that of an id, a group, or both. */
  private void moveCoordinator(FaultAction action, FaultFacts facts) {
    String of = action.of();
    String id = of == null ? facts.transactionalId() : of;
    String group = of == null ? facts.group() : of;
    List<String> refused = new ArrayList<>();
    boolean isMoved = id != null && isMoved(CoordinatorKey.transaction(id), refused);
    isMoved |= group != null && isMoved(CoordinatorKey.group(group), refused);
    if (id == null && group == null) {
      moveLeaders(
          facts.partitions().stream()
              .filter(partition -> TopicNames.isInternal(partition.topic()))
              .toList());
    } else if (!isMoved) {
      throw new IllegalStateException(String.join("; ", refused));
    }
  }

  private boolean isMoved(CoordinatorKey key, List<String> refused) {
    try {
      var unused = cluster.moveCoordinator(key);
      return true;
    } catch (IllegalStateException e) {
      refused.add(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private Future<?> submit(Runnable act) {
    try {
      return acts.submit(() -> guarded(act));
    } catch (RejectedExecutionException closed) {
      return CompletableFuture.completedFuture(null);
    }
  }

  private void after(Duration delay, Runnable ending) {
    try {
      var unused = endings.schedule(() -> guarded(ending), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closed) {
      ending.run();
    }
  }

  /** A broker may have died of something else by now: that is told, and goes on. */
  private void guarded(Runnable act) {
    try {
      act.run();
    } catch (IllegalStateException | IllegalArgumentException | DiskException refused) {
      tell(String.valueOf(refused.getMessage()));
    }
  }

  private void tell(String trouble) {
    synchronized (troubles) {
      troubles.add(trouble);
    }
  }

  private static void await(Future<?> done) {
    try {
      var unused = done.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("an act on a broker is not done", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while an act on a broker was done", e);
    }
  }

  /** Stops the cluster. */
  @Override
  public void close() {
    use(null);
    trials.values().forEach(BrokerFaults::mend);
    acts.shutdown();
    endings.shutdownNow();
    try {
      var unused = acts.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    cluster.close();
  }
}
