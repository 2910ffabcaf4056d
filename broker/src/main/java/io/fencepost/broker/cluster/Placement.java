package io.fencepost.broker.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which brokers keep a new partition: round robin over those that are alive, beginning at one that
 * the topic's name picks; followers are the next in line. Brokers that are not alive are taken, as
 * in Kafka, where the others are too few; they join when they are back.
 */
final class Placement {
  private Placement() {}

  /** Why so many replicas cannot be placed, or null. */
  static @Nullable String problem(ClusterState state, int replicationFactor) {
    int count = state.members().size();
    if (replicationFactor > count) {
      return "Replication factor "
          + replicationFactor
          + " is larger than the number of brokers, "
          + count;
    }
    return alive(state).isEmpty() ? "No broker is alive" : null;
  }

  /**
   * New partitions of a topic.
   *
   * @param first number of the first of them
   * @param end number behind the last of them
   */
  static List<PartitionState> place(
      ClusterState state, String topic, int first, int end, int replicationFactor) {
    List<Integer> alive = alive(state);
    List<Integer> others = new ArrayList<>(state.members().keySet());
    others.removeAll(alive);
    int offset = Math.floorMod(topic.hashCode(), alive.size());
    List<PartitionState> partitions = new ArrayList<>(end - first);
    for (int i = first; i < end; i++) {
      List<Integer> replicas = new ArrayList<>(replicationFactor);
      for (int r = 0; r < replicationFactor; r++) {
        boolean isAlive = r < alive.size();
        List<Integer> from = isAlive ? alive : others;
        replicas.add(from.get((offset + i + (isAlive ? r : r - alive.size())) % from.size()));
      }
      partitions.add(fresh(state, i, replicas));
    }
    return partitions;
  }

  /** A new partition on these brokers, of which one at least is alive. */
  static PartitionState fresh(ClusterState state, int partition, List<Integer> replicas) {
    List<Integer> isr = replicas.stream().filter(state::isAlive).toList();
    return new PartitionState(partition, isr.get(0), 0, replicas, isr);
  }

  private static List<Integer> alive(ClusterState state) {
    return state.members().keySet().stream().filter(state::isAlive).toList();
  }
}
