package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.CreatePartitionsRequest;
import io.fencepost.broker.wire.message.CreatePartitionsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * CreatePartitions, v0 to v3: raises the number of partitions, never lowers it. The broker's own
 * topics keep theirs (INVALID_REQUEST): which partition serves a key depends on the number.
 */
final class CreatePartitions
    implements ApiHandler<CreatePartitionsRequest, CreatePartitionsResponse> {
  private final BrokerMetadata cluster;
  private final Controller controller;

  CreatePartitions(BrokerMetadata cluster, Controller controller) {
    this.cluster = cluster;
    this.controller = controller;
  }

  @Override
  public void handle(
      RequestContext context,
      CreatePartitionsRequest request,
      Reply<CreatePartitionsResponse> reply) {
    CreatePartitionsResponse response = new CreatePartitionsResponse();
    TreeSet<String> seen = new TreeSet<>();
    for (CreatePartitionsRequest.CreatePartitionsTopic topic : request.topics) {
      CreatePartitionsResponse.CreatePartitionsTopicResult answer =
          new CreatePartitionsResponse.CreatePartitionsTopicResult();
      answer.name = topic.name;
      if (seen.add(topic.name)) {
        TopicResult result = grow(topic, request.validateOnly);
        answer.errorCode = result.error().code();
        answer.errorMessage = result.message();
      } else {
        answer.errorCode = WireError.INVALID_REQUEST.code();
        answer.errorMessage = "The topic " + topic.name + " occurs more than once in the request";
      }
      response.results.add(answer);
    }
    reply.send(response);
  }

  private TopicResult grow(
      CreatePartitionsRequest.CreatePartitionsTopic topic, boolean validateOnly) {
    TopicResult refusal = cluster.refusal(topic.name);
    if (refusal != null) {
      return refusal;
    }
    List<List<Integer>> assignments = null;
    if (topic.assignments != null) {
      assignments = new ArrayList<>();
      for (CreatePartitionsRequest.CreatePartitionsAssignment a : topic.assignments) {
        assignments.add(List.copyOf(a.brokerIds));
      }
    }
    return validateOnly
        ? controller.validatePartitions(topic.name, topic.count, assignments)
        : controller.createPartitions(topic.name, topic.count, assignments);
  }
}
