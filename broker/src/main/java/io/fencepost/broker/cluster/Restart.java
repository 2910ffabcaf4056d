package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The start of a whole cluster, from its first broker to its last. All of them may have crashed at
 * once, and then a replica that was in sync may have come back shorter without a trace: whoever led
 * before would make the others cut off what they have. So nobody leads the topics of before, and
 * nobody follows, until every broker has said how far its logs go.
 *
 * <p>Called under the controller's lock.
 */
final class Restart {
  /** Ids of the topics that nobody leads until then. */
  private final TreeSet<Uuid> held = new TreeSet<>();

  private final TreeMap<Integer, SortedMap<TopicPartition, ReplicaEnd>> found = new TreeMap<>();

  /**
   * @param topics those that the journal knows; none if the cluster is one broker or new
   */
  Restart(Collection<TopicState> topics) {
    topics.forEach(topic -> held.add(topic.id()));
  }

  /** The topics in the term in which nobody leads them. */
  static List<TopicState> unled(Collection<TopicState> topics) {
    List<TopicState> unled = new ArrayList<>();
    for (TopicState topic : topics) {
      List<PartitionState> partitions = new ArrayList<>();
      topic.partitions().forEach(partition -> partitions.add(unled(partition)));
      unled.add(topic.withPartitions(partitions));
    }
    return unled;
  }

  private static PartitionState unled(PartitionState partition) {
    return new PartitionState(
        partition.partition(),
        PartitionState.NO_LEADER,
        partition.leaderEpoch(),
        partition.replicas(),
        partition.isr(),
        partition.eligible(),
        partition.hasLeader() ? partition.leader() : partition.lastLeader());
  }

  boolean isOver() {
    return held.isEmpty();
  }

  boolean holds(TopicState topic) {
    return held.contains(topic.id());
  }

  /** The broker is up and has these logs. */
  void arrived(int broker, SortedMap<TopicPartition, ReplicaEnd> ends) {
    if (!isOver()) {
      found.put(broker, ends);
    }
  }

  /** The broker is gone again, or will not come. */
  void departed(int broker) {
    found.remove(broker);
  }

  boolean isComplete(ClusterState state) {
    return state.members().values().stream()
        .filter(Member::isAlive)
        .allMatch(member -> found.containsKey(member.node().id()));
  }

  void end() {
    held.clear();
    found.clear();
  }

  /** The partition led by the one that has most, of those that had all that is committed. */
  PartitionState elected(String topic, PartitionState partition, Elections.Terms terms) {
    return Elections.byLogs(partition, ends(topic, partition), terms);
  }

  /** By broker, for each replica. */
  private SortedMap<Integer, ReplicaEnd> ends(String topic, PartitionState partition) {
    TreeMap<Integer, ReplicaEnd> ends = new TreeMap<>();
    TopicPartition named = new TopicPartition(topic, partition.partition());
    for (int replica : partition.replicas()) {
      SortedMap<TopicPartition, ReplicaEnd> own =
          found.getOrDefault(replica, Collections.emptySortedMap());
      ends.put(replica, own.getOrDefault(named, ReplicaEnd.NOTHING));
    }
    return ends;
  }

  /**
   * What whoever runs the cluster must know of an election; null if nothing.
   *
   * @param before the partition that nobody led
   */
  @Nullable String doubt(String topic, PartitionState before, PartitionState after) {
    SortedMap<Integer, ReplicaEnd> ends = ends(topic, before);
    List<Integer> hadAll =
        before.replicas().stream()
            .filter(id -> before.isr().contains(id) || before.eligible().contains(id))
            .filter(found::containsKey)
            .toList();
    ReplicaEnd leaders = ends.get(after.leader());
    if (leaders == null || before.replicas().size() == 1) {
      return null;
    }
    String which =
        "%s-%d: committed records from offset %d on may be missing: "
            .formatted(topic, before.partition(), leaders.logEnd());
    if (hadAll.stream().allMatch(id -> ends.getOrDefault(id, ReplicaEnd.NOTHING).isDamaged())) {
      return which
          + "each replica that had all of them, "
          + hadAll
          + ", came back damaged; broker "
          + after.leader()
          + " has most of what is left and leads";
    }
    for (int other : before.replicas()) {
      ReplicaEnd others = ends.getOrDefault(other, ReplicaEnd.NOTHING);
      if (others.compareTo(leaders) > 0) {
        return which
            + "broker "
            + other
            + " was not in sync and has more, up to offset "
            + others.logEnd()
            + ", than broker "
            + after.leader()
            + ", which was and leads";
      }
    }
    return null;
  }
}
