package io.fencepost.testkit.sim;

import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.core.Membership;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.replica.Links;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.txn.ids.ProducerIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a simulation: one that is alone, or several under a controller that never fails,
 * with a network between them that delays and can be cut. Not thread-safe.
 */
final class SimCluster {
  private static final int SESSION_MS = 1_500;

  private final SimScheduler scheduler;
  private final SimEntropy entropy;

  /** By id, which is the place in the list and one more. */
  private final List<SimTransport> transports = new ArrayList<>();

  /** Likewise. */
  private final List<SimBroker> brokers = new ArrayList<>();

  private final TreeSet<Integer> cutOff = new TreeSet<>();
  private final SimRoutes routes;
  private final Links links;

  /** Null for a broker that is alone, which has its own. */
  private final @Nullable Controller controller;

  SimCluster(
      Clock clock,
      SimScheduler scheduler,
      SimEntropy seeded,
      Swarm swarm,
      Map<String, String> settings) {
    this(clock, scheduler, seeded, swarm, settings, id -> BrokerSteps.NONE);
  }

  /**
   * @param steps is asked before and after the steps of the broker with that id
   */
  SimCluster(
      Clock clock,
      SimScheduler scheduler,
      SimEntropy seeded,
      Swarm swarm,
      Map<String, String> settings,
      IntFunction<BrokerSteps> steps) {
    this.scheduler = scheduler;
    this.entropy = seeded.named("cluster");
    this.links = new Links(this::carry);
    int count = swarm.brokers();
    List<Integer> ids = IntStream.rangeClosed(1, count).boxed().toList();
    for (int id : ids) {
      transports.add(
          new SimTransport(scheduler, count == 1 ? seeded : seeded.named("transport " + id)));
    }
    if (count == 1) {
      controller = null;
      SimBroker.Ports ports =
          new SimBroker.Ports(clock, scheduler, transports.get(0), swarm.lagMs(), steps.apply(1));
      brokers.add(new SimBroker(ports, seeded, settings, notice -> {}));
    } else {
      SimDisk disk = new SimDisk(entropy.named("controller disk"));
      String clusterId = Membership.clusterId(disk, entropy.named("identity"));
      TreeMap<String, String> shared = shared();
      shared.put("flush", swarm.trustsPageCache() ? "os" : "group");
      shared.putAll(settings);
      Controller made =
          Controller.open(
              disk,
              entropy.named("controller"),
              BrokerConfig.of(shared),
              clusterId,
              ids,
              notice -> {});
      controller = made;
      ProducerIds producerIds = new ProducerIds(disk);
      for (int id : ids) {
        TreeMap<String, String> own = new TreeMap<>(shared);
        own.put("node.id", String.valueOf(id));
        Membership membership =
            new Membership(made, links.of(id), peer -> links.join(id, peer), clusterId);
        SimBroker.Ports ports =
            new SimBroker.Ports(
                clock, scheduler, transports.get(id - 1), swarm.lagMs(), steps.apply(id));
        brokers.add(
            new SimBroker(
                ports,
                seeded.named("broker " + id),
                own,
                notice -> {},
                new SimPlace(membership, links, producerIds)));
      }
    }
    this.routes = new SimRoutes(this::state);
  }

  /** The settings of a cluster whose followers are missed soon. */
  private static TreeMap<String, String> shared() {
    TreeMap<String, String> shared = new TreeMap<>();
    shared.put("default.replication.factor", "3");
    shared.put("min.insync.replicas", "2");
    shared.put("offsets.topic.replication.factor", "3");
    shared.put("transaction.state.log.replication.factor", "3");
    shared.put("transaction.state.log.min.isr", "2");
    shared.put("replica.lag.time.max.ms", "1000");
    return shared;
  }

  /** Between brokers a message takes a moment, and overtakes others. */
  private void carry(Runnable message) {
    var unused = scheduler.after(entropy.nextInt(3), message);
  }

  private @Nullable PartitionState state(TopicPartition partition) {
    return controller == null ? null : controller.state().partition(partition);
  }

  @Nullable Integer partitionCount(String topic) {
    TopicState state = controller == null ? null : controller.state().topic(topic);
    return state == null ? null : state.partitions().size();
  }

  void start() {
    brokers.forEach(SimBroker::start);
  }

  void weather(SimTransport.Weather weather) {
    transports.forEach(transport -> transport.weather(weather));
  }

  /** The broker that a client with new metadata asks; any of them for what each can answer. */
  SimTransport route(WireMessage request) {
    Integer leader = routes.leaderFor(request, this::partitionCount);
    return transports.get(leader == null ? entropy.nextInt(transports.size()) : leader - 1);
  }

  /** Who answers for a partition now, by broker and life. */
  String leaderOf(TopicPartition partition) {
    PartitionState state = state(partition);
    return state == null || !state.hasLeader() ? "" : brokers.get(state.leader() - 1).incarnation();
  }

  /** A random broker, or null if that one is dead already. */
  @Nullable Integer victim() {
    int id = 1 + entropy.nextInt(brokers.size());
    return brokers.get(id - 1).isAlive() ? id : null;
  }

  /**
   * A broker dies.
   *
   * @param power whether it loses what it had not forced; what it has promised with others is kept
   *     by them only if all have it
   */
  void die(int id, boolean power) {
    boolean takesPower = power && (controller == null || isAllInSync(controller));
    brokers.get(id - 1).die(takesPower);
    if (controller != null) {
      var unused = controller.fence(id, takesPower);
    }
  }

  private boolean isAllInSync(Controller of) {
    return of.state().topics().values().stream()
        .flatMap(topic -> topic.partitions().stream())
        .allMatch(partition -> partition.isr().size() == partition.replicas().size());
  }

  /** Throws DiskException, and is dead, if the disk does not let it start. */
  void restart(int id) {
    brokers.get(id - 1).start();
  }

  /** Cuts one way, between two brokers or from one to the controller, and mends it later. */
  void cutSomething(int longestMs) {
    int one = 1 + entropy.nextInt(brokers.size());
    int other = entropy.nextInt(brokers.size() + 1);
    int forMs = 1 + entropy.nextInt(longestMs);
    if (other == 0 || other == one) {
      cutOff(one, forMs);
    } else {
      links.cut(one, other);
      var unused = scheduler.after(forMs, () -> links.mend(one, other));
    }
  }

  /** Cuts a broker off from all others and the controller, and mends that later. */
  void isolate(int id, int forMs) {
    cutOff(id, forMs);
    for (int other = 1; other <= brokers.size(); other++) {
      if (other != id) {
        int peer = other;
        links.cut(id, peer);
        var unused = scheduler.after(forMs, () -> links.mend(id, peer));
      }
    }
  }

  private void cutOff(int id, int forMs) {
    if (controller == null || !cutOff.add(id)) {
      return;
    }
    controller.disconnect(id);
    var session =
        scheduler.after(
            SESSION_MS,
            () -> {
              if (cutOff.contains(id)) {
                var unused = controller.fence(id, false);
              }
            });
    var unused =
        scheduler.after(
            forMs,
            () -> {
              session.cancel();
              cutOff.remove(id);
              controller.connect(id);
            });
  }

  /** Some partition gets another leader that is in sync. */
  void moveSomething() {
    if (controller == null) {
      return;
    }
    List<TopicPartition> all = new ArrayList<>();
    for (TopicState topic : controller.state().topics().values()) {
      topic.partitions().forEach(p -> all.add(new TopicPartition(topic.name(), p.partition())));
    }
    if (!all.isEmpty()) {
      TopicPartition moved = all.get(entropy.nextInt(all.size()));
      var unused = controller.moveLeader(moved, 1 + entropy.nextInt(brokers.size()));
    }
  }

  SimBroker broker(int id) {
    return brokers.get(id - 1);
  }

  int size() {
    return brokers.size();
  }

  /** Whether nobody is dead, and all replicas are in sync. */
  boolean isWell() {
    return brokers.stream().allMatch(SimBroker::isAlive)
        && (controller == null || isAllInSync(controller));
  }

  void flushTables() {
    brokers.get(entropy.nextInt(brokers.size())).flushTables();
  }

  void breakDisk() {
    brokers.get(entropy.nextInt(brokers.size())).breakDisk();
  }
}
