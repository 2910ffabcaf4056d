package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster looks like at one moment. Immutable; both topic maps hold the same topics. The
 * {@link Controller} makes the next one, everybody else reads.
 */
public final class ClusterState {
  /** So many deleted topics are remembered, the last ones. */
  private static final int GONE = 1_000;

  private final Brokers brokers;
  private final SortedMap<String, TopicState> topicsByName;
  private final SortedMap<Uuid, TopicState> topicsById;
  private final List<Uuid> gone;
  private final Configs configs;

  /** The cluster without its topics; alive are the members that clients can reach. */
  private record Brokers(
      String clusterId,
      int controllerId,
      SortedMap<Integer, Member> members,
      SortedMap<Integer, BrokerNode> alive) {
    static Brokers of(String clusterId, int controllerId, SortedMap<Integer, Member> members) {
      TreeMap<Integer, BrokerNode> alive = new TreeMap<>();
      for (Member member : members.values()) {
        if (member.isAlive() && member.node().port() > 0) {
          alive.put(member.node().id(), member.node());
        }
      }
      return new Brokers(
          clusterId,
          controllerId,
          Collections.unmodifiableSortedMap(members),
          Collections.unmodifiableSortedMap(alive));
    }
  }

  /** Settings by broker and by group. */
  private record Configs(
      SortedMap<String, SortedMap<String, String>> brokers,
      SortedMap<String, SortedMap<String, String>> groups) {}

  private ClusterState(
      Brokers brokers,
      SortedMap<String, TopicState> topicsByName,
      SortedMap<Uuid, TopicState> topicsById,
      List<Uuid> gone,
      Configs configs) {
    this.brokers = brokers;
    this.topicsByName = topicsByName;
    this.topicsById = topicsById;
    this.gone = gone;
    this.configs = configs;
  }

  /** A cluster without brokers and topics. */
  public static ClusterState empty(String clusterId, int controllerId) {
    return new ClusterState(
        Brokers.of(clusterId, controllerId, new TreeMap<>()),
        new TreeMap<>(),
        new TreeMap<>(),
        List.of(),
        new Configs(
            Collections.unmodifiableSortedMap(new TreeMap<>()),
            Collections.unmodifiableSortedMap(new TreeMap<>())));
  }

  public String clusterId() {
    return brokers.clusterId();
  }

  /** The broker that clients send commands to: one of those that are alive, if any is. */
  public int controllerId() {
    return brokers.controllerId();
  }

  /** The brokers that clients are sent to: alive, and registered since the cluster started. */
  public SortedMap<Integer, BrokerNode> brokers() {
    return brokers.alive();
  }

  /** All brokers of the cluster, whether they are alive or not. */
  public SortedMap<Integer, Member> members() {
    return brokers.members();
  }

  /** Whether the broker may lead and be in sync; one that did not come yet is taken for alive. */
  public boolean isAlive(int broker) {
    Member member = brokers.members().get(broker);
    return member != null && member.isAlive();
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
    return new ClusterState(brokers, topicsByName, topicsById, gone, changed);
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

  /** This state with the member added or replaced. */
  ClusterState withMember(Member member) {
    TreeMap<Integer, Member> next = new TreeMap<>(brokers.members());
    next.put(member.node().id(), member);
    return with(Brokers.of(brokers.clusterId(), brokers.controllerId(), next));
  }

  /** This state with commands sent to that broker. */
  ClusterState withControllerId(int broker) {
    return broker == brokers.controllerId()
        ? this
        : with(Brokers.of(brokers.clusterId(), broker, brokers.members()));
  }

  private ClusterState with(Brokers changed) {
    return new ClusterState(changed, topicsByName, topicsById, gone, configs);
  }

  /** This state with the topics added or replaced. */
  public ClusterState withTopics(Iterable<TopicState> topics) {
    if (!topics.iterator().hasNext()) {
      return this;
    }
    TreeMap<String, TopicState> byName = new TreeMap<>(topicsByName);
    TreeMap<Uuid, TopicState> byId = new TreeMap<>(topicsById);
    for (TopicState topic : topics) {
      TopicState old = byName.put(topic.name(), topic);
      if (old != null) {
        byId.remove(old.id());
      }
      byId.put(topic.id(), topic);
    }
    return new ClusterState(brokers, byName, byId, gone, configs);
  }

  /**
   * Ids of topics that were deleted, the last 1,000. What a broker has of any other unknown topic,
   * the metadata has lost.
   */
  public List<Uuid> gone() {
    return gone;
  }

  /** This state with the id among those of deleted topics. */
  ClusterState withGone(Uuid topicId) {
    List<Uuid> next =
        new ArrayList<>(gone.subList(Math.max(0, gone.size() - GONE + 1), gone.size()));
    next.add(topicId);
    return new ClusterState(
        brokers, topicsByName, topicsById, Collections.unmodifiableList(next), configs);
  }

  /** This state without the topic, which is among the deleted ones then. */
  public ClusterState withoutTopic(TopicState topic) {
    TreeMap<String, TopicState> byName = new TreeMap<>(topicsByName);
    TreeMap<Uuid, TopicState> byId = new TreeMap<>(topicsById);
    byName.remove(topic.name());
    byId.remove(topic.id());
    return new ClusterState(brokers, byName, byId, gone, configs).withGone(topic.id());
  }
}
