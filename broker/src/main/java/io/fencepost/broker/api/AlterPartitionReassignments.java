package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterState;
import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.AlterPartitionReassignmentsRequest;
import io.fencepost.broker.wire.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import io.fencepost.broker.wire.message.AlterPartitionReassignmentsResponse;
import io.fencepost.broker.wire.message.AlterPartitionReassignmentsResponse.ReassignablePartitionResponse;
import io.fencepost.broker.wire.message.AlterPartitionReassignmentsResponse.ReassignableTopicResponse;
import java.util.List;

/**
 * AlterPartitionReassignments, v0 to v1: a partition can be assigned to where it is, and nowhere
 * else (INVALID_REPLICA_ASSIGNMENT). There is never a move to be called off
 * (NO_REASSIGNMENT_IN_PROGRESS). v1 adds whether the number of replicas may change.
 */
final class AlterPartitionReassignments
    implements ApiHandler<AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse> {
  private final ClusterView cluster;

  AlterPartitionReassignments(ClusterView cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context,
      AlterPartitionReassignmentsRequest request,
      Reply<AlterPartitionReassignmentsResponse> reply) {
    AlterPartitionReassignmentsResponse response = new AlterPartitionReassignmentsResponse();
    response.errorMessage = null;
    response.allowReplicationFactorChange = request.allowReplicationFactorChange;
    request.topics.forEach(
        topic -> {
          ReassignableTopicResponse answer = new ReassignableTopicResponse();
          answer.name = topic.name;
          topic.partitions.forEach(
              partition -> answer.partitions.add(assign(topic.name, partition)));
          response.responses.add(answer);
        });
    reply.send(response);
  }

  private ReassignablePartitionResponse assign(String topic, ReassignablePartition wanted) {
    ReassignablePartitionResponse answer = new ReassignablePartitionResponse();
    answer.partitionIndex = wanted.partitionIndex;
    answer.errorMessage = null;
    String name = topic + "-" + wanted.partitionIndex;
    ClusterState state = cluster.state();
    PartitionState present = state.partition(new TopicPartition(topic, wanted.partitionIndex));
    List<Integer> replicas = wanted.replicas;
    if (present == null) {
      answer.errorCode = WireError.UNKNOWN_TOPIC_OR_PARTITION.code();
      answer.errorMessage = "There is no partition " + name;
    } else if (replicas == null) {
      answer.errorCode = WireError.NO_REASSIGNMENT_IN_PROGRESS.code();
    } else if (!replicas.equals(present.replicas())) {
      answer.errorCode = WireError.INVALID_REPLICA_ASSIGNMENT.code();
      answer.errorMessage =
          "The partition %s stays on %s: brokers here are %s, and partitions do not move"
              .formatted(name, present.replicas(), state.members().keySet());
    }
    return answer;
  }
}
