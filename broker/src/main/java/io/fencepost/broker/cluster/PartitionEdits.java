package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Changes many partitions of many topics in one command. */
final class PartitionEdits {
  private final ClusterState state;
  private final BrokerConfig defaults;
  private final Predicate<TopicState> isHeld;
  private final TreeMap<String, List<PartitionState>> edited = new TreeMap<>();

  /**
   * @param state where the changes start from, and which says who is alive
   * @param defaults settings of topics that do not set them
   * @param isHeld whether nobody may lead a topic yet
   */
  PartitionEdits(ClusterState state, BrokerConfig defaults, Predicate<TopicState> isHeld) {
    this.state = state;
    this.defaults = defaults;
    this.isHeld = isHeld;
  }

  /** What becomes of a partition; the same object if nothing does. */
  @FunctionalInterface
  interface Rule {
    PartitionState apply(PartitionState partition, Elections.Terms terms);
  }

  /** Applies the rule to every partition of the cluster. */
  PartitionEdits applyToAll(Rule rule) {
    for (TopicState topic : state.topics().values()) {
      applyTo(topic, rule);
    }
    return this;
  }

  /** Applies the rule to every partition of the topic. */
  PartitionEdits applyTo(TopicState topic, Rule rule) {
    Elections.Terms terms = terms(topic);
    for (PartitionState partition : topic.partitions()) {
      PartitionState next = rule.apply(partition, terms);
      if (!next.equals(partition)) {
        put(topic, next);
      }
    }
    return this;
  }

  /** The partition with the changes so far; null if there is none. */
  @Nullable PartitionState partition(TopicPartition named) {
    List<PartitionState> partitions = edited.get(named.topic());
    PartitionState before = state.partition(named);
    return before == null || partitions == null ? before : partitions.get(named.partition());
  }

  /** What elections of the topic go by. */
  Elections.Terms terms(TopicState topic) {
    return terms(topic, isHeld.test(topic) ? broker -> false : state::isAlive);
  }

  /** What they go by when nobody is held back any more. */
  Elections.Terms freeTerms(TopicState topic) {
    return terms(topic, state::isAlive);
  }

  private Elections.Terms terms(TopicState topic, IntPredicate mayLead) {
    TopicConfig config = TopicConfig.of(topic, defaults);
    return new Elections.Terms(
        mayLead,
        config.intOf("min.insync.replicas"),
        config.flag("unclean.leader.election.enable"));
  }

  void put(TopicState topic, PartitionState partition) {
    edited
        .computeIfAbsent(topic.name(), name -> new ArrayList<>(topic.partitions()))
        .set(partition.partition(), partition);
  }

  /**
   * Elects leaders, and says what came of it.
   *
   * @param wanted null for all partitions; those that need none are left out then
   */
  SortedMap<TopicPartition, WireError> elect(
      @Nullable Collection<TopicPartition> wanted, ElectionType type) {
    SortedMap<TopicPartition, WireError> answers = new TreeMap<>();
    for (TopicPartition named : wanted == null ? all() : wanted) {
      TopicState topic = state.topic(named.topic());
      PartitionState partition = partition(named);
      if (topic == null || partition == null) {
        answers.put(named, WireError.UNKNOWN_TOPIC_OR_PARTITION);
        continue;
      }
      Elections.Outcome outcome = Elections.elect(partition, type, terms(topic));
      PartitionState elected = outcome.elected();
      if (elected != null) {
        put(topic, elected);
      }
      if (wanted != null || outcome.error() != WireError.ELECTION_NOT_NEEDED) {
        answers.put(named, outcome.error());
      }
    }
    return answers;
  }

  private List<TopicPartition> all() {
    List<TopicPartition> all = new ArrayList<>();
    for (TopicState topic : state.topics().values()) {
      topic.partitions().forEach(p -> all.add(new TopicPartition(topic.name(), p.partition())));
    }
    return all;
  }

  /** The topics that changed, as they are now. */
  List<TopicState> topics() {
    List<TopicState> topics = new ArrayList<>();
    edited.forEach(
        (name, partitions) -> {
          TopicState topic = state.topic(name);
          if (topic != null) {
            topics.add(topic.withPartitions(partitions));
          }
        });
    return topics;
  }
}
