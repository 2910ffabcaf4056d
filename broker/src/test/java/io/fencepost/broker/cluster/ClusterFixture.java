package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The controller of the brokers 1, 2 and 3, which write down what they hear. */
final class ClusterFixture {
  static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final List<Integer> IDS = List.of(1, 2, 3);

  final SimEntropy entropy = new SimEntropy(7);
  final SimDisk disk = new SimDisk(entropy.named("disk"));
  final TreeMap<Integer, BrokerMetadata> views = new TreeMap<>();
  final TreeMap<Integer, List<String>> heard = new TreeMap<>();
  final TreeSet<Integer> withFullDisk = new TreeSet<>();
  final List<String> notices = new ArrayList<>();
  Controller controller = open();

  private Controller open() {
    return Controller.open(
        disk, entropy.named("ids"), BrokerConfig.defaults(), "test-cluster", IDS, notices::add);
  }

  static ClusterFixture running() {
    ClusterFixture fixture = new ClusterFixture();
    IDS.forEach(fixture::start);
    return fixture;
  }

  /** All processes die with the power, and the controller's comes back. */
  void reopen() {
    disk.crash();
    controller = open();
    views.clear();
  }

  /** Begins a process: it attaches, hears of all topics, and registers. */
  long start(int id) {
    return start(id, BrokerConfig.defaults());
  }

  long start(int id, BrokerConfig config) {
    attach(id, config);
    return controller.register(node(id));
  }

  /** The same of one whose replica of t-0 is like this. */
  void startWith(int id, ReplicaEnd t0) {
    attach(id, BrokerConfig.defaults());
    var unused = controller.register(node(id), new TreeMap<>(Map.of(T0, t0)));
  }

  private void attach(int id, BrokerConfig config) {
    BrokerMetadata view = controller.attach(config.with("node.id", String.valueOf(id)));
    views.put(id, view);
    List<String> told = new ArrayList<>();
    heard.put(id, told);
    view.addListener(
        (before, after) -> {
          if (withFullDisk.contains(id)) {
            throw new DiskException("the disk of broker " + id + " is full");
          }
          told.add(
              (before == null ? "-" : before.name()) + ">" + (after == null ? "-" : after.name()));
        });
  }

  /** The process dies; nobody noticed yet. */
  void kill(int id) {
    controller.detach(view(id));
  }

  static BrokerNode node(int id) {
    return new BrokerNode(id, "localhost", 9090 + id, null);
  }

  BrokerMetadata view(int id) {
    return Objects.requireNonNull(views.get(id));
  }

  List<String> takeHeard(int id) {
    List<String> told = Objects.requireNonNull(heard.get(id));
    List<String> copy = List.copyOf(told);
    told.clear();
    return copy;
  }

  /** A topic t whose partitions have all the replicas 1, 2, 3 in this order. */
  void createAssigned(int partitions, Map<String, @Nullable String> configs) {
    TreeMap<Integer, List<Integer>> assignment = new TreeMap<>();
    for (int i = 0; i < partitions; i++) {
      assignment.put(i, IDS);
    }
    accept(controller.createTopic(new NewTopic("t", -1, -1, assignment, new TreeMap<>(configs))));
  }

  TopicResult create(String name, int partitions, int replicas) {
    return controller.createTopic(
        new NewTopic(name, partitions, replicas, new TreeMap<>(), new TreeMap<>()));
  }

  static void accept(TopicResult result) {
    assertThat(result.error()).as(result.message()).isEqualTo(WireError.NONE);
  }

  PartitionState t0() {
    return Objects.requireNonNull(controller.state().partition(T0));
  }

  TopicState topic() {
    return Objects.requireNonNull(controller.state().topic("t"));
  }

  /** The leader of t-0 asks for these; those that join have the epoch of their registration. */
  WireError alterIsr(Integer... wanted) {
    TreeMap<Integer, Long> epochs = new TreeMap<>();
    for (int broker : wanted) {
      epochs.put(broker, epochOf(broker));
    }
    return alterIsr(
        t0().leader(),
        new IsrChange(T0, topic().id(), t0().leaderEpoch(), t0().isr(), List.of(wanted), epochs));
  }

  WireError alterIsr(int leader, IsrChange change) {
    return controller.alterIsr(view(leader), List.of(change)).get(0);
  }

  long epochOf(int broker) {
    return Objects.requireNonNull(controller.state().members().get(broker)).epoch();
  }
}
