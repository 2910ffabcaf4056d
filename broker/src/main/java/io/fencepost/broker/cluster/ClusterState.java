package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster looks like at one moment. Immutable; both topic maps hold the same topics. The
 * {@link Controller} makes the next one, everybody else reads.
 */
public final class ClusterState {
  private final String clusterId;
  private final int controllerId;
  private final SortedMap<Integer, BrokerNode> brokers;
  private final SortedMap<String, TopicState> topicsByName;
  private final SortedMap<Uuid, TopicState> topicsById;
  private final Configs configs;

  /** Settings by broker and by group. */
  private record Configs(
      SortedMap<String, SortedMap<String, String>> brokers,
      SortedMap<String, SortedMap<String, String>> groups) {}

  private ClusterState(
      String clusterId,
      int controllerId,
      SortedMap<Integer, BrokerNode> brokers,
      SortedMap<String, TopicState> topicsByName,
      SortedMap<Uuid, TopicState> topicsById,
      Configs configs) {
    this.clusterId = clusterId;
    this.controllerId = controllerId;
    this.brokers = Collections.unmodifiableSortedMap(brokers);
    this.topicsByName = topicsByName;
    this.topicsById = topicsById;
    this.configs = configs;
  }

  /** A cluster without brokers and topics. */
  public static ClusterState empty(String clusterId, int controllerId) {
    return new ClusterState(
        clusterId,
        controllerId,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new Configs(
            Collections.unmodifiableSortedMap(new TreeMap<>()),
            Collections.unmodifiableSortedMap(new TreeMap<>())));
  }

  public String clusterId() {
    return clusterId;
  }

  public int controllerId() {
    return controllerId;
  }

  public SortedMap<Integer, BrokerNode> brokers() {
    return brokers;
  }

  /** All topics by name, unmodifiable. */
  public SortedMap<String, TopicState> topics() {
    return Collections.unmodifiableSortedMap(topicsByName);
  }

  public @Nullable TopicState topic(String name) {
    return topicsByName.get(name);
  }

  public @Nullable TopicState topic(Uuid id) {
    return topicsById.get(id);
  }

  public @Nullable PartitionState partition(TopicPartition topicPartition) {
    TopicState topic = topicsByName.get(topicPartition.topic());
    int partition = topicPartition.partition();
    if (topic == null || partition < 0 || partition >= topic.partitions().size()) {
      return null;
    }
    return topic.partitions().get(partition);
  }

  /**
   * Settings of brokers that were changed while they ran: by the broker's id, and under the empty
   * name those of all brokers. Never empty maps.
   */
  public SortedMap<String, SortedMap<String, String>> brokerConfigs() {
    return configs.brokers();
  }

  /** This state with these settings of a broker instead of those it had. */
  ClusterState withBrokerConfigs(String broker, SortedMap<String, String> changed) {
    return with(new Configs(replaced(configs.brokers(), broker, changed), configs.groups()));
  }

  private ClusterState with(Configs changed) {
    return new ClusterState(clusterId, controllerId, brokers, topicsByName, topicsById, changed);
  }

  private static SortedMap<String, SortedMap<String, String>> replaced(
      SortedMap<String, SortedMap<String, String>> all,
      String name,
      SortedMap<String, String> changed) {
    TreeMap<String, SortedMap<String, String>> next = new TreeMap<>(all);
    if (changed.isEmpty()) {
      next.remove(name);
    } else {
      next.put(name, Collections.unmodifiableSortedMap(new TreeMap<>(changed)));
    }
    return Collections.unmodifiableSortedMap(next);
  }

  /** The groups' own settings, by group. Never empty maps. */
  public SortedMap<String, SortedMap<String, String>> groupConfigs() {
    return configs.groups();
  }

  /** This state with these settings of a group instead of those it had. */
  ClusterState withGroupConfigs(String group, SortedMap<String, String> changed) {
    return with(new Configs(configs.brokers(), replaced(configs.groups(), group, changed)));
  }

  /** Whether there is anything that a new cluster does not have. */
  boolean isWorthKeeping() {
    return !(topicsByName.isEmpty() && configs.brokers().isEmpty() && configs.groups().isEmpty());
  }

  /** This state with the broker added or replaced. */
  public ClusterState withBroker(BrokerNode broker) {
    TreeMap<Integer, BrokerNode> next = new TreeMap<>(brokers);
    next.put(broker.id(), broker);
    return new ClusterState(clusterId, controllerId, next, topicsByName, topicsById, configs);
  }

  /** This state with the topics added or replaced. */
  public ClusterState withTopics(Iterable<TopicState> topics) {
    TreeMap<String, TopicState> byName = new TreeMap<>(topicsByName);
    TreeMap<Uuid, TopicState> byId = new TreeMap<>(topicsById);
    for (TopicState topic : topics) {
      TopicState old = byName.put(topic.name(), topic);
      if (old != null) {
        byId.remove(old.id());
      }
      byId.put(topic.id(), topic);
    }
    return new ClusterState(clusterId, controllerId, brokers, byName, byId, configs);
  }

  /** This state without the topic. */
  public ClusterState withoutTopic(TopicState topic) {
    TreeMap<String, TopicState> byName = new TreeMap<>(topicsByName);
    TreeMap<Uuid, TopicState> byId = new TreeMap<>(topicsById);
    byName.remove(topic.name());
    byId.remove(topic.id());
    return new ClusterState(clusterId, controllerId, brokers, byName, byId, configs);
  }
}
