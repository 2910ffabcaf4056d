package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.NewTopic;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Metadata, v0 to v13: brokers, topics, leaders.
 *
 * <ul>
 *   <li>no topics asked for: all (v0: an empty list means all, later: none)
 *   <li>an unknown topic by name is created if the request and auto.create.topics.enable allow it
 *       (before v4 every request does); the topic is in the same answer
 *   <li>by topic id: UNKNOWN_TOPIC_ID if there is none; id and name together are refused
 * </ul>
 *
 * v1 adds rack and controller, v2 the cluster id, v3 throttle time, v4 the choice of auto-creation,
 * v5 offline replicas, v7 leader epochs, v8 authorized operations, v10 topic ids, v12 asking by id,
 * v13 an error for the whole answer.
 */
final class Metadata implements ApiHandler<MetadataRequest, MetadataResponse> {
  private static final int FIRST_WITH_CHOICE_OF_CREATION = 4;

  private final BrokerMetadata cluster;
  private final Controller controller;
  private final boolean createsTopics;

  Metadata(BrokerMetadata cluster, Controller controller, BrokerConfig config) {
    this.cluster = cluster;
    this.controller = controller;
    this.createsTopics = config.flag("auto.create.topics.enable");
  }

  @Override
  public void handle(
      RequestContext context, MetadataRequest request, Reply<MetadataResponse> reply) {
    MetadataResponse response = new MetadataResponse();
    List<MetadataRequest.MetadataRequestTopic> asked = request.topics;
    boolean all = asked == null || (context.apiVersion() == 0 && asked.isEmpty());
    if (asked == null || all) {
      cluster.state().topics().values().forEach(t -> response.topics.add(known(t, request)));
    } else {
      boolean mayCreate =
          createsTopics
              && (request.allowAutoTopicCreation
                  || context.apiVersion() < FIRST_WITH_CHOICE_OF_CREATION);
      for (MetadataRequest.MetadataRequestTopic wanted : asked) {
        MetadataResponse.MetadataResponseTopic topic = one(wanted, request, mayCreate);
        reply.claim((long) topic.partitions.size() * Reply.STRUCT_BYTES);
        response.topics.add(topic);
      }
    }
    describe(cluster.state(), response);
    if (request.includeClusterAuthorizedOperations) {
      response.clusterAuthorizedOperations = AuthorizedOperations.CLUSTER;
    }
    reply.send(response);
  }

  private static void describe(ClusterState state, MetadataResponse response) {
    response.clusterId = state.clusterId();
    response.controllerId = state.controllerId();
    for (BrokerNode node : state.brokers().values()) {
      MetadataResponse.MetadataResponseBroker broker =
          new MetadataResponse.MetadataResponseBroker();
      broker.nodeId = node.id();
      broker.host = node.host();
      broker.port = node.port();
      broker.rack = node.rack();
      response.brokers.add(broker);
    }
  }

  private MetadataResponse.MetadataResponseTopic one(
      MetadataRequest.MetadataRequestTopic asked, MetadataRequest request, boolean mayCreate) {
    String name = asked.name;
    if (name == null || !asked.topicId.equals(Uuid.ZERO)) {
      TopicState byId = cluster.state().topic(asked.topicId);
      if (name != null && !name.isEmpty()) {
        return failed(name, asked.topicId, WireError.INVALID_REQUEST);
      }
      return byId == null
          ? failed(null, asked.topicId, WireError.UNKNOWN_TOPIC_ID)
          : known(byId, request);
    }
    TopicState topic = cluster.state().topic(name);
    if (topic != null) {
      return known(topic, request);
    }
    if (TopicNames.problem(name) != null) {
      return failed(name, Uuid.ZERO, WireError.INVALID_TOPIC_EXCEPTION);
    }
    return mayCreate
        ? created(name, request)
        : failed(name, Uuid.ZERO, WireError.UNKNOWN_TOPIC_OR_PARTITION);
  }

  private MetadataResponse.MetadataResponseTopic created(String name, MetadataRequest request) {
    if (!cluster.isConnected()) {
      return failed(name, Uuid.ZERO, WireError.LEADER_NOT_AVAILABLE);
    }
    if (TopicNames.isInternal(name)) {
      cluster.ensureInternalTopic(name, error -> {});
    } else {
      TopicResult result =
          controller.createTopic(new NewTopic(name, -1, -1, new TreeMap<>(), new TreeMap<>()));
      if (result.isRefused() && result.error() != WireError.TOPIC_ALREADY_EXISTS) {
        return failed(name, Uuid.ZERO, result.error());
      }
    }
    TopicState topic = cluster.state().topic(name);
    return topic == null
        ? failed(name, Uuid.ZERO, WireError.UNKNOWN_TOPIC_OR_PARTITION)
        : known(topic, request);
  }

  private static MetadataResponse.MetadataResponseTopic failed(
      @Nullable String name, Uuid id, WireError error) {
    MetadataResponse.MetadataResponseTopic answer = new MetadataResponse.MetadataResponseTopic();
    answer.name = name;
    answer.topicId = id;
    answer.errorCode = error.code();
    return answer;
  }

  private MetadataResponse.MetadataResponseTopic known(TopicState topic, MetadataRequest request) {
    Set<Integer> brokers = cluster.state().brokers().keySet();
    MetadataResponse.MetadataResponseTopic answer = new MetadataResponse.MetadataResponseTopic();
    answer.name = topic.name();
    answer.topicId = topic.id();
    answer.isInternal = topic.internal();
    for (PartitionState state : topic.partitions()) {
      MetadataResponse.MetadataResponsePartition partition =
          new MetadataResponse.MetadataResponsePartition();
      partition.partitionIndex = state.partition();
      boolean isLed = brokers.contains(state.leader());
      partition.leaderId = isLed ? state.leader() : PartitionState.NO_LEADER;
      partition.leaderEpoch = state.leaderEpoch();
      partition.replicaNodes = state.replicas();
      partition.isrNodes = state.isr();
      partition.offlineReplicas =
          state.replicas().stream().filter(replica -> !brokers.contains(replica)).toList();
      if (!isLed) {
        partition.errorCode = WireError.LEADER_NOT_AVAILABLE.code();
      }
      answer.partitions.add(partition);
    }
    if (request.includeTopicAuthorizedOperations) {
      answer.topicAuthorizedOperations = AuthorizedOperations.TOPIC;
    }
    return answer;
  }
}
