package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Commands on leaders and replicas in sync: any number of partitions is one write. Called under the
 * controller's lock, whose methods say what these do.
 */
final class Leaders {
  private final Commits commits;
  private final Views views;

  Leaders(Commits commits, Views views) {
    this.commits = commits;
    this.views = views;
  }

  List<WireError> alterIsr(BrokerMetadata leader, List<IsrChange> changes) {
    ClusterState state = commits.state();
    List<WireError> answers = new ArrayList<>();
    PartitionEdits edits = commits.edits(state);
    WireError unheard = views.whyUnheard(leader);
    for (IsrChange change : changes) {
      answers.add(
          unheard != WireError.NONE ? unheard : alterIsr(state, leader.brokerId(), change, edits));
    }
    WireError written = commits.attempt(state, edits.topics());
    if (written != WireError.NONE) {
      answers.replaceAll(answer -> answer == WireError.NONE ? written : answer);
    }
    return answers;
  }

  private static WireError alterIsr(
      ClusterState state, int leader, IsrChange change, PartitionEdits edits) {
    TopicState topic = state.topic(change.topicId());
    PartitionState partition = edits.partition(change.partition());
    if (topic == null || !topic.name().equals(change.partition().topic())) {
      return WireError.UNKNOWN_TOPIC_ID;
    }
    if (partition == null) {
      return WireError.UNKNOWN_TOPIC_OR_PARTITION;
    }
    WireError problem = IsrRules.problem(state, leader, partition, change);
    if (problem == WireError.NONE) {
      Elections.Terms terms = edits.terms(topic);
      edits.put(
          topic,
          IsrRules.isResignation(leader, change)
              ? Elections.relieved(partition, terms)
              : Elections.withIsr(partition, change.wanted(), terms));
    }
    return problem;
  }

  SortedMap<TopicPartition, WireError> elect(
      @Nullable Collection<TopicPartition> wanted, ElectionType type) {
    ClusterState state = commits.state();
    PartitionEdits edits = commits.edits(state);
    SortedMap<TopicPartition, WireError> answers = edits.elect(wanted, type);
    WireError written = commits.attempt(state, edits.topics());
    if (written != WireError.NONE) {
      answers.replaceAll((partition, answer) -> answer == WireError.NONE ? written : answer);
    }
    return answers;
  }

  WireError move(TopicPartition named, int broker) {
    ClusterState state = commits.state();
    TopicState topic = state.topic(named.topic());
    PartitionState partition = state.partition(named);
    if (topic == null || partition == null) {
      return WireError.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (partition.leader() == broker) {
      return WireError.ELECTION_NOT_NEEDED;
    }
    PartitionEdits edits = commits.edits(state);
    if (!partition.isr().contains(broker) || !edits.terms(topic).isAlive().test(broker)) {
      return WireError.PREFERRED_LEADER_NOT_AVAILABLE;
    }
    edits.put(topic, Elections.ledBy(partition, broker));
    return commits.attempt(state, edits.topics());
  }
}
