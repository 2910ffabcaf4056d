package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.ElectionType;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ElectLeadersRequest;
import io.fencepost.broker.wire.message.ElectLeadersResponse;
import io.fencepost.broker.wire.message.ElectLeadersResponse.PartitionResult;
import io.fencepost.broker.wire.message.ElectLeadersResponse.ReplicaElectionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * ElectLeaders, v0 to v2: gives leadership back to the first replicas, or lets any replica lead
 * where nobody does. Asked for all partitions (null) it answers those that needed an election.
 *
 * <ul>
 *   <li>who should lead leads already, or (unclean) anybody does: ELECTION_NOT_NEEDED
 *   <li>the first replica is not alive or not in sync: PREFERRED_LEADER_NOT_AVAILABLE; no replica
 *       is alive: ELIGIBLE_LEADERS_NOT_AVAILABLE
 *   <li>the controller is not reached: NOT_CONTROLLER for each
 *   <li>v1 adds the kind of election, v2 is flexible
 * </ul>
 */
final class ElectLeaders implements ApiHandler<ElectLeadersRequest, ElectLeadersResponse> {
  private final BrokerMetadata cluster;
  private final Controller controller;

  ElectLeaders(BrokerMetadata cluster, Controller controller) {
    this.cluster = cluster;
    this.controller = controller;
  }

  @Override
  public void handle(
      RequestContext context, ElectLeadersRequest request, Reply<ElectLeadersResponse> reply) {
    ElectLeadersResponse response = new ElectLeadersResponse();
    List<TopicPartition> wanted = wanted(request);
    ElectionType[] types = ElectionType.values();
    TopicResult refusal = cluster.refusal("");
    if (request.electionType < 0 || request.electionType >= types.length) {
      response.errorCode = WireError.INVALID_REQUEST.code();
    } else if (refusal == null) {
      fill(response, controller.electLeaders(wanted, types[request.electionType]));
    } else if (wanted == null) {
      response.errorCode = refusal.error().code();
    } else {
      SortedMap<TopicPartition, WireError> refused = new TreeMap<>();
      wanted.forEach(partition -> refused.put(partition, refusal.error()));
      fill(response, refused);
    }
    reply.send(response);
  }

  private static @Nullable List<TopicPartition> wanted(ElectLeadersRequest request) {
    if (request.topicPartitions == null) {
      return null;
    }
    List<TopicPartition> wanted = new ArrayList<>();
    for (ElectLeadersRequest.TopicPartitions topic : request.topicPartitions) {
      topic.partitions.forEach(partition -> wanted.add(new TopicPartition(topic.topic, partition)));
    }
    return wanted;
  }

  private static void fill(
      ElectLeadersResponse response, SortedMap<TopicPartition, WireError> answers) {
    ReplicaElectionResult topic = null;
    for (var answer : answers.entrySet()) {
      TopicPartition partition = answer.getKey();
      if (topic == null || !topic.topic.equals(partition.topic())) {
        topic = new ReplicaElectionResult();
        topic.topic = partition.topic();
        response.replicaElectionResults.add(topic);
      }
      PartitionResult result = new PartitionResult();
      result.partitionId = partition.partition();
      result.errorCode = answer.getValue().code();
      result.errorMessage = message(partition, answer.getValue());
      topic.partitionResult.add(result);
    }
  }

  private static @Nullable String message(TopicPartition partition, WireError error) {
    return switch (error) {
      case NONE, ELECTION_NOT_NEEDED -> null;
      case UNKNOWN_TOPIC_OR_PARTITION -> "There is no partition " + partition;
      case ELIGIBLE_LEADERS_NOT_AVAILABLE -> "No replica of " + partition + " can lead";
      default -> partition + ": " + error.sentence();
    };
  }
}
