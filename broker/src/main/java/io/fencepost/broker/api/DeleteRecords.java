package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.replica.DeleteAnswer;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DeleteRecordsRequest;
import io.fencepost.broker.wire.message.DeleteRecordsRequest.DeleteRecordsPartition;
import io.fencepost.broker.wire.message.DeleteRecordsRequest.DeleteRecordsTopic;
import io.fencepost.broker.wire.message.DeleteRecordsResponse;
import io.fencepost.broker.wire.message.DeleteRecordsResponse.DeleteRecordsPartitionResult;
import io.fencepost.broker.wire.message.DeleteRecordsResponse.DeleteRecordsTopicResult;

/**
 * DeleteRecords (key 21), versions 0 to 2: makes all below an offset unreadable, at most up to the
 * high watermark (-1 stands for it), also in front of an open transaction. What is known of
 * producers stays. Internal topics and topics that are only compacted are refused.
 *
 * <pre>
 * 1   as 0      2   flexible
 * </pre>
 */
public final class DeleteRecords
    implements ApiHandler<DeleteRecordsRequest, DeleteRecordsResponse> {
  private final ClusterView cluster;
  private final PartitionLookup lookup;

  public DeleteRecords(ClusterView cluster, Replicas replicas) {
    this.cluster = cluster;
    this.lookup = new PartitionLookup(cluster, replicas);
  }

  @Override
  public void handle(
      RequestContext context, DeleteRecordsRequest request, Reply<DeleteRecordsResponse> reply) {
    DeleteRecordsResponse response = new DeleteRecordsResponse();
    for (DeleteRecordsTopic topic : request.topics) {
      DeleteRecordsTopicResult result = new DeleteRecordsTopicResult();
      result.name = topic.name;
      response.topics.add(result);
      for (DeleteRecordsPartition wish : topic.partitions) {
        DeleteAnswer answer = delete(topic.name, wish);
        DeleteRecordsPartitionResult partition = new DeleteRecordsPartitionResult();
        partition.partitionIndex = wish.partitionIndex;
        partition.errorCode = answer.error().code();
        partition.lowWatermark = answer.logStartOffset();
        result.partitions.add(partition);
      }
    }
    reply.send(response);
  }

  private DeleteAnswer delete(String name, DeleteRecordsPartition wish) {
    TopicState topic = cluster.state().topic(name);
    if (topic != null && topic.internal()) {
      return new DeleteAnswer(WireError.INVALID_TOPIC_EXCEPTION, -1);
    }
    PartitionGate gate = lookup.find(name, wish.partitionIndex);
    return gate == null
        ? new DeleteAnswer(lookup.whyMissing(name, wish.partitionIndex), -1)
        : gate.deleteRecords(wish.offset);
  }
}
