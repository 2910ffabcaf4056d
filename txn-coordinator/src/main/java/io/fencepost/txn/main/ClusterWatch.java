package io.fencepost.txn.main;

import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.shard.ShardMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the partitions of a running cluster and waits for what becomes of them. Who looks is
 * refused where there is nothing to see; who waits goes on waiting while brokers die and come back.
 * Thread-safe; {@link FencepostCluster} says what the methods of the same names do.
 */
final class ClusterWatch {
  private final Controller controller;
  private final Map<Integer, Node> nodes;

  /**
   * @param nodes those that are up, at any moment
   */
  ClusterWatch(Controller controller, Map<Integer, Node> nodes) {
    this.controller = controller;
    this.nodes = nodes;
  }

  /** Throws IllegalArgumentException if there is none. */
  PartitionState state(String topic, int partition) {
    PartitionState state = controller.state().partition(new TopicPartition(topic, partition));
    if (state == null) {
      throw new IllegalArgumentException("There is no partition " + topic + "-" + partition);
    }
    return state;
  }

  TopicPartition partitionOf(CoordinatorKey key) {
    TopicState topic = controller.state().topic(key.topic());
    if (topic == null) {
      throw new IllegalStateException(
          "Nobody has used a coordinator yet: there is no topic " + key.topic());
    }
    return new TopicPartition(
        key.topic(), ShardMap.partitionFor(key.key(), topic.partitions().size()));
  }

  SortedSet<Integer> isr(String topic, int partition) {
    return new TreeSet<>(state(topic, partition).isr());
  }

  PartitionGate leader(String topic, int partition) {
    int leader = state(topic, partition).leader();
    if (leader == PartitionState.NO_LEADER) {
      throw new IllegalStateException("Nobody leads " + describe(topic, partition));
    }
    return replica(topic, partition, leader);
  }

  PartitionGate replica(String topic, int partition, int broker) {
    PartitionGate gate = find(topic, partition, broker);
    if (gate != null) {
      return gate;
    }
    throw new IllegalStateException(
        nodes.containsKey(broker)
            ? "Broker " + broker + " has no replica of " + describe(topic, partition)
            : "Broker " + broker + " is down: restart it first");
  }

  /** Null while the broker is down or has no such replica. */
  private @Nullable PartitionGate find(String topic, int partition, int broker) {
    Node node = nodes.get(broker);
    return node == null ? null : node.broker().services().replicas().find(topic, partition);
  }

  int awaitLeader(String topic, int partition) {
    await(
        () -> nodes.containsKey(state(topic, partition).leader()),
        () -> "No leader of " + describe(topic, partition));
    return state(topic, partition).leader();
  }

  void awaitIsr(String topic, int partition, SortedSet<Integer> wanted) {
    await(
        () -> isr(topic, partition).equals(wanted),
        () -> "The ISR is not " + wanted + " but that of " + describe(topic, partition));
  }

  void awaitAllInSync() {
    await(
        () ->
            controller.state().topics().values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .allMatch(this::isInSync),
        () -> "Not all replicas are in sync: " + laggards());
  }

  private boolean isInSync(PartitionState state) {
    return nodes.containsKey(state.leader())
        && state.replicas().stream().filter(nodes::containsKey).allMatch(state.isr()::contains);
  }

  private List<String> laggards() {
    return controller.state().topics().values().stream()
        .flatMap(
            topic ->
                IntStream.range(0, topic.partitions().size())
                    .filter(i -> !isInSync(topic.partitions().get(i)))
                    .mapToObj(i -> describe(topic.name(), i)))
        .limit(10)
        .toList();
  }

  /**
   * Waits until the leader, whoever that is then, has come so far.
   *
   * @param what for the complaint, such as "high watermark"
   */
  void awaitLeaders(
      String what, ToLongFunction<PartitionGate> end, TopicPartition partition, long offset) {
    String topic = partition.topic();
    int number = partition.partition();
    await(
        () -> isAt(find(topic, number, state(topic, number).leader()), end, offset),
        () -> "The " + what + " has not reached " + offset + " in " + describe(topic, number));
  }

  void awaitLogEnd(String topic, int partition, int broker, long offset) {
    var unused = state(topic, partition);
    await(
        () -> isAt(find(topic, partition, broker), PartitionGate::logEndOffset, offset),
        () ->
            "The log of broker "
                + broker
                + " has not reached "
                + offset
                + " in "
                + describe(topic, partition));
  }

  private static boolean isAt(
      @Nullable PartitionGate gate, ToLongFunction<PartitionGate> end, long offset) {
    return gate != null && end.applyAsLong(gate) >= offset;
  }

  String describe(String topic, int partition) {
    PartitionState state = controller.state().partition(new TopicPartition(topic, partition));
    return state == null
        ? topic + "-" + partition + ", which does not exist"
        : "%s-%d: leader %d in epoch %d, replicas %s, ISR %s, brokers up %s"
            .formatted(
                topic,
                partition,
                state.leader(),
                state.leaderEpoch(),
                state.replicas(),
                state.isr(),
                nodes.keySet());
  }

  private static void await(BooleanSupplier condition, Supplier<String> trouble) {
    Patience.await(FencepostCluster.PATIENCE, condition, trouble);
  }
}
