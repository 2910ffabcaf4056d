package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a command on a topic, decided from the state and the settings alone, with Kafka's
 * error codes.
 */
final class TopicRules {
  private static final int MAX_PARTITIONS_PER_COMMAND = 10_000;

  private final BrokerConfig broker;

  TopicRules(BrokerConfig broker) {
    this.broker = broker;
  }

  TopicResult create(ClusterState state, NewTopic wanted, Uuid id) {
    String name = wanted.name();
    String problem = TopicNames.problem(name);
    if (problem != null) {
      return TopicResult.refused(name, WireError.INVALID_TOPIC_EXCEPTION, problem);
    }
    if (state.topic(name) != null) {
      return TopicResult.refused(
          name, WireError.TOPIC_ALREADY_EXISTS, "Topic '" + name + "' already exists.");
    }
    String other = TopicNames.collision(name, state.topics().keySet());
    if (other != null) {
      return TopicResult.refused(
          name,
          WireError.INVALID_TOPIC_EXCEPTION,
          "Topic '" + name + "' collides with existing topic: " + other);
    }
    TreeMap<String, String> configs = new TreeMap<>();
    for (var config : wanted.configs().entrySet()) {
      String value = config.getValue();
      if (value == null) {
        return TopicResult.refused(
            name,
            WireError.INVALID_CONFIG,
            "The topic config " + config.getKey() + " has no value (null)");
      }
      configs.put(config.getKey(), value);
    }
    problem = TopicConfigs.problem(configs);
    if (problem != null) {
      return TopicResult.refused(name, WireError.INVALID_CONFIG, problem);
    }
    return wanted.assignment().isEmpty()
        ? placed(state, wanted, id, configs)
        : assigned(state, wanted, id, configs);
  }

  private TopicResult placed(
      ClusterState state, NewTopic wanted, Uuid id, SortedMap<String, String> configs) {
    String name = wanted.name();
    int count =
        wanted.partitionCount() == -1 ? broker.intOf("num.partitions") : wanted.partitionCount();
    int factor =
        wanted.replicationFactor() == -1
            ? Math.min(broker.intOf("default.replication.factor"), state.members().size())
            : wanted.replicationFactor();
    if (count <= 0) {
      return TopicResult.refused(
          name,
          WireError.INVALID_PARTITIONS,
          "Number of partitions must be positive, or -1 for the default; it is " + count);
    }
    if (factor <= 0) {
      return TopicResult.refused(
          name,
          WireError.INVALID_REPLICATION_FACTOR,
          "Replication factor must be positive, or -1 for the default; it is " + factor);
    }
    String problem = Placement.problem(state, factor);
    if (problem != null) {
      return TopicResult.refused(name, WireError.INVALID_REPLICATION_FACTOR, problem);
    }
    if (count > MAX_PARTITIONS_PER_COMMAND) {
      return TopicResult.refused(
          name, WireError.POLICY_VIOLATION, "More than 10,000 partitions in one request: " + count);
    }
    return TopicResult.done(
        new TopicState(
            name,
            id,
            TopicNames.isInternal(name),
            Placement.place(state, name, 0, count, factor),
            configs));
  }

  private TopicResult assigned(
      ClusterState state, NewTopic wanted, Uuid id, SortedMap<String, String> configs) {
    String name = wanted.name();
    if (wanted.partitionCount() != -1 || wanted.replicationFactor() != -1) {
      return TopicResult.refused(
          name,
          WireError.INVALID_REQUEST,
          "With a replica assignment, partition count and replication factor must both be -1");
    }
    List<PartitionState> partitions = new ArrayList<>();
    for (var entry : wanted.assignment().entrySet()) {
      String problem =
          entry.getKey() == partitions.size()
              ? assignmentProblem(state, entry.getValue(), wanted.assignment().get(0))
              : "the partitions are not numbered 0, 1, 2, ...";
      if (problem != null) {
        return TopicResult.refused(
            name,
            WireError.INVALID_REPLICA_ASSIGNMENT,
            "Replica assignment of partition " + entry.getKey() + " is refused: " + problem);
      }
      partitions.add(Placement.fresh(state, partitions.size(), entry.getValue()));
    }
    return TopicResult.done(
        new TopicState(name, id, TopicNames.isInternal(name), partitions, configs));
  }

  private static @Nullable String assignmentProblem(
      ClusterState state, List<Integer> replicas, @Nullable List<Integer> model) {
    if (replicas.isEmpty()) {
      return "it names no broker";
    }
    if (new TreeSet<>(replicas).size() < replicas.size()) {
      return "it names a broker twice: " + replicas;
    }
    for (int broker : replicas) {
      if (!state.members().containsKey(broker)) {
        return "there is no broker " + broker;
      }
    }
    if (replicas.stream().noneMatch(state::isAlive)) {
      return "none of its brokers is alive: " + replicas;
    }
    return model != null && model.size() != replicas.size()
        ? "it has another number of replicas than the others"
        : null;
  }

  TopicResult grow(
      ClusterState state, String name, int count, @Nullable List<List<Integer>> assignments) {
    TopicState topic = state.topic(name);
    if (topic == null) {
      return TopicResult.refused(
          name, WireError.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic '" + name + "'");
    }
    int present = topic.partitions().size();
    if (topic.internal()) {
      return TopicResult.refused(
          name, WireError.INVALID_REQUEST, "The number of partitions of " + name + " is fixed");
    }
    if (count <= present) {
      return TopicResult.refused(
          name,
          WireError.INVALID_PARTITIONS,
          "The topic "
              + name
              + " currently has "
              + present
              + " partition(s); "
              + count
              + " would not be an increase.");
    }
    if (count - present > MAX_PARTITIONS_PER_COMMAND) {
      return TopicResult.refused(
          name, WireError.POLICY_VIOLATION, "More than 10,000 partitions in one request: " + count);
    }
    if (assignments != null && assignments.size() != count - present) {
      return TopicResult.refused(
          name,
          WireError.INVALID_REPLICA_ASSIGNMENT,
          "%d partitions are added, but %d are assigned"
              .formatted(count - present, assignments.size()));
    }
    List<Integer> model = topic.partitions().get(0).replicas();
    List<PartitionState> partitions = new ArrayList<>(topic.partitions());
    if (assignments == null) {
      int factor = Math.min(model.size(), state.members().size());
      String problem = Placement.problem(state, factor);
      if (problem != null) {
        return TopicResult.refused(name, WireError.INVALID_REPLICATION_FACTOR, problem);
      }
      partitions.addAll(Placement.place(state, name, present, count, factor));
      return TopicResult.done(topic.withPartitions(partitions));
    }
    for (int i = present; i < count; i++) {
      List<Integer> replicas = assignments.get(i - present);
      String problem = assignmentProblem(state, replicas, model);
      if (problem != null) {
        return TopicResult.refused(
            name,
            WireError.INVALID_REPLICA_ASSIGNMENT,
            "Replica assignment of partition " + i + " is refused: " + problem);
      }
      partitions.add(Placement.fresh(state, i, replicas));
    }
    return TopicResult.done(topic.withPartitions(partitions));
  }
}
