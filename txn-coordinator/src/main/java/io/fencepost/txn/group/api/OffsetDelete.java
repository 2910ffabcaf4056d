package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.OffsetDeleteRequest;
import io.fencepost.broker.wire.message.OffsetDeleteResponse;
import io.fencepost.txn.group.OffsetRemovals;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * OffsetDelete, version 0.
 *
 * <ul>
 *   <li>Deletes single offsets, staged ones too. An offset that is not there is deleted gladly.
 *   <li>GROUP_SUBSCRIBED_TO_TOPIC for topics that members read; NON_EMPTY_GROUP if the broker
 *       cannot read what members subscribe to.
 * </ul>
 */
public final class OffsetDelete implements ApiHandler<OffsetDeleteRequest, OffsetDeleteResponse> {
  private final OffsetRemovals removals;
  private final ClusterView cluster;

  public OffsetDelete(OffsetRemovals removals, ClusterView cluster) {
    this.removals = removals;
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context, OffsetDeleteRequest request, Reply<OffsetDeleteResponse> reply) {
    if (request.groupId.isEmpty()) {
      reply.send(refused(WireError.INVALID_GROUP_ID));
      return;
    }
    ClusterState state = cluster.state();
    List<TopicPartition> known = new ArrayList<>();
    for (OffsetDeleteRequest.OffsetDeleteRequestTopic topic : request.topics) {
      for (OffsetDeleteRequest.OffsetDeleteRequestPartition partition : topic.partitions) {
        TopicPartition topicPartition = new TopicPartition(topic.name, partition.partitionIndex);
        if (state.partition(topicPartition) != null) {
          known.add(topicPartition);
        }
      }
    }
    removals.deleteOffsets(
        request.groupId,
        known,
        (error, outcome) ->
            reply.send(error == WireError.NONE ? response(request, outcome) : refused(error)));
  }

  private static OffsetDeleteResponse refused(WireError error) {
    OffsetDeleteResponse response = new OffsetDeleteResponse();
    response.errorCode = error.code();
    return response;
  }

  private static OffsetDeleteResponse response(
      OffsetDeleteRequest request, SortedMap<TopicPartition, WireError> outcome) {
    OffsetDeleteResponse response = new OffsetDeleteResponse();
    for (OffsetDeleteRequest.OffsetDeleteRequestTopic topic : request.topics) {
      OffsetDeleteResponse.OffsetDeleteResponseTopic answered =
          new OffsetDeleteResponse.OffsetDeleteResponseTopic();
      answered.name = topic.name;
      for (OffsetDeleteRequest.OffsetDeleteRequestPartition partition : topic.partitions) {
        OffsetDeleteResponse.OffsetDeleteResponsePartition result =
            new OffsetDeleteResponse.OffsetDeleteResponsePartition();
        result.partitionIndex = partition.partitionIndex;
        TopicPartition key = new TopicPartition(topic.name, partition.partitionIndex);
        result.errorCode = outcome.getOrDefault(key, WireError.UNKNOWN_TOPIC_OR_PARTITION).code();
        answered.partitions.add(result);
      }
      response.topics.add(answered);
    }
    return response;
  }
}
