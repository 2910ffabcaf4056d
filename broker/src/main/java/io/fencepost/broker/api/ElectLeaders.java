package io.fencepost.broker.api;

import io.fencepost.broker.cluster.ClusterView;
import io.fencepost.broker.cluster.PartitionState;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ElectLeadersRequest;
import io.fencepost.broker.wire.message.ElectLeadersResponse;
import io.fencepost.broker.wire.message.ElectLeadersResponse.PartitionResult;
import io.fencepost.broker.wire.message.ElectLeadersResponse.ReplicaElectionResult;

/**
 * ElectLeaders, v0 to v2: with one replica for each partition, who should lead leads already
 * (ELECTION_NOT_NEEDED). Asked for all partitions it answers those that got another leader: none.
 * v1 adds the kind of election, v2 is flexible.
 */
final class ElectLeaders implements ApiHandler<ElectLeadersRequest, ElectLeadersResponse> {
  private final ClusterView cluster;

  ElectLeaders(ClusterView cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(
      RequestContext context, ElectLeadersRequest request, Reply<ElectLeadersResponse> reply) {
    ElectLeadersResponse response = new ElectLeadersResponse();
    if (request.topicPartitions != null) {
      for (ElectLeadersRequest.TopicPartitions topic : request.topicPartitions) {
        ReplicaElectionResult answer = new ReplicaElectionResult();
        answer.topic = topic.topic;
        topic.partitions.forEach(
            partition -> answer.partitionResult.add(elect(topic.topic, partition)));
        response.replicaElectionResults.add(answer);
      }
    }
    reply.send(response);
  }

  private PartitionResult elect(String topic, int partition) {
    PartitionResult result = new PartitionResult();
    result.partitionId = partition;
    PartitionState state = cluster.state().partition(new TopicPartition(topic, partition));
    if (state == null) {
      result.errorCode = WireError.UNKNOWN_TOPIC_OR_PARTITION.code();
      result.errorMessage = "There is no partition " + topic + "-" + partition;
    } else if (state.leader() == PartitionState.NO_LEADER) {
      result.errorCode = WireError.ELIGIBLE_LEADERS_NOT_AVAILABLE.code();
      result.errorMessage = "No replica of " + topic + "-" + partition + " can lead";
    } else {
      result.errorCode = WireError.ELECTION_NOT_NEEDED.code();
      result.errorMessage = null;
    }
    return result;
  }
}
