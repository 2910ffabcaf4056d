package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/** From the topics of a request to this broker's partitions, or to the error that Kafka gives. */
final class PartitionLookup {
  private final ClusterView cluster;
  private final Replicas replicas;

  PartitionLookup(ClusterView cluster, Replicas replicas) {
    this.cluster = cluster;
    this.replicas = replicas;
  }

  Replicas replicas() {
    return replicas;
  }

  /** The partition if this broker leads it, or null. */
  @Nullable PartitionGate find(String topic, int partition) {
    PartitionGate gate = replicas.find(topic, partition);
    return gate != null && gate.isLeader() ? gate : null;
  }

  /** The name that the id stands for, or null. */
  @Nullable String nameOf(Uuid topicId) {
    TopicState topic = cluster.state().topic(topicId);
    return topic == null ? null : topic.name();
  }

  /** Why {@link #find} gave nothing. */
  WireError whyMissing(String topic, int partition) {
    return stateOf(topic, partition) == null
        ? WireError.UNKNOWN_TOPIC_OR_PARTITION
        : WireError.NOT_LEADER_OR_FOLLOWER;
  }

  /** What the metadata says about the partition, or null if there is none. */
  @Nullable PartitionState stateOf(String topic, int partition) {
    return cluster.state().partition(new TopicPartition(topic, partition));
  }

  /** The address of a broker that is up, or null. */
  @Nullable BrokerNode broker(int id) {
    return cluster.state().brokers().get(id);
  }
}
