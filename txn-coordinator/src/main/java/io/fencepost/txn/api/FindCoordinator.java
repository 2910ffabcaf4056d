package io.fencepost.txn.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.BrokerNode;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FindCoordinatorRequest;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.txn.shard.ShardMap;
import org.jspecify.annotations.Nullable;

/**
 * FindCoordinator (10), versions 0 to 6: the leader of the internal partition of a group or a
 * transactional id. Makes the internal topic when it is first needed.
 *
 * <ul>
 *   <li>v1 key types (before: groups only); v3 flexible; v4 several keys at once; v6 share groups,
 *       which are not served here: INVALID_REQUEST.
 * </ul>
 */
final class FindCoordinator implements ApiHandler<FindCoordinatorRequest, FindCoordinatorResponse> {
  private static final byte GROUP = 0;
  private static final byte TRANSACTION = 1;
  private static final int BATCHED = 4;

  private final BrokerMetadata metadata;

  FindCoordinator(BrokerMetadata metadata) {
    this.metadata = metadata;
  }

  @Override
  public void handle(
      RequestContext context,
      FindCoordinatorRequest request,
      Reply<FindCoordinatorResponse> reply) {
    String topic = topic(request.keyType);
    if (topic == null) {
      answer(context, request, null, WireError.INVALID_REQUEST, reply);
      return;
    }
    metadata.ensureInternalTopic(
        topic,
        error ->
            answer(
                context,
                request,
                topic,
                error == WireError.NONE ? WireError.NONE : WireError.COORDINATOR_NOT_AVAILABLE,
                reply));
  }

  private static @Nullable String topic(byte keyType) {
    if (keyType == GROUP) {
      return TopicNames.OFFSETS;
    }
    return keyType == TRANSACTION ? TopicNames.TRANSACTIONS : null;
  }

  private void answer(
      RequestContext context,
      FindCoordinatorRequest request,
      @Nullable String topic,
      WireError error,
      Reply<FindCoordinatorResponse> reply) {
    FindCoordinatorResponse response = new FindCoordinatorResponse();
    if (context.apiVersion() >= BATCHED) {
      for (String key : request.coordinatorKeys) {
        response.coordinators.add(coordinator(key, topic, error));
      }
    } else {
      FindCoordinatorResponse.Coordinator found = coordinator(request.key, topic, error);
      response.errorCode = found.errorCode;
      response.errorMessage = found.errorCode == 0 ? "NONE" : found.errorMessage;
      response.nodeId = found.nodeId;
      response.host = found.host;
      response.port = found.port;
    }
    reply.send(response);
  }

  private FindCoordinatorResponse.Coordinator coordinator(
      String key, @Nullable String topic, WireError error) {
    FindCoordinatorResponse.Coordinator answer = new FindCoordinatorResponse.Coordinator();
    answer.key = key;
    BrokerNode leader = topic == null || error != WireError.NONE ? null : leader(key, topic);
    if (leader == null) {
      WireError why = error == WireError.NONE ? WireError.COORDINATOR_NOT_AVAILABLE : error;
      answer.errorCode = why.code();
      answer.errorMessage = why.sentence();
      answer.nodeId = -1;
      answer.host = "";
      answer.port = -1;
    } else {
      answer.nodeId = leader.id();
      answer.host = leader.host();
      answer.port = leader.port();
    }
    return answer;
  }

  private @Nullable BrokerNode leader(String key, String topicName) {
    ClusterState cluster = metadata.state();
    TopicState topic = cluster.topic(topicName);
    if (topic == null) {
      return null;
    }
    int partition = ShardMap.partitionFor(key, topic.partitions().size());
    PartitionState state = cluster.partition(new TopicPartition(topicName, partition));
    return state == null ? null : cluster.brokers().get(state.leader());
  }
}
