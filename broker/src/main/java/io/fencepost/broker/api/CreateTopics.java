package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.NewTopic;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.CreateTopicsRequest;
import io.fencepost.broker.wire.message.CreateTopicsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * CreateTopics, v2 to v7: each topic alone, so one that is refused keeps no other from being
 * created. A topic is there, with its partitions open, when the answer goes out; validate-only
 * answers as if. A name that occurs twice is refused (INVALID_REQUEST).
 *
 * <p>v4 allows -1 for the default counts, v5 tells the resulting counts and settings, v7 the id.
 */
final class CreateTopics implements ApiHandler<CreateTopicsRequest, CreateTopicsResponse> {
  private final BrokerMetadata cluster;
  private final Controller controller;

  CreateTopics(BrokerMetadata cluster, Controller controller) {
    this.cluster = cluster;
    this.controller = controller;
  }

  @Override
  public void handle(
      RequestContext context, CreateTopicsRequest request, Reply<CreateTopicsResponse> reply) {
    CreateTopicsResponse response = new CreateTopicsResponse();
    TreeSet<String> seen = new TreeSet<>();
    TreeSet<String> twice = new TreeSet<>();
    request.topics.forEach(
        topic -> {
          if (!seen.add(topic.name)) {
            twice.add(topic.name);
          }
        });
    for (CreateTopicsRequest.CreatableTopic topic : request.topics) {
      if (twice.contains(topic.name)) {
        continue;
      }
      response.topics.add(answer(create(wanted(topic), request.validateOnly)));
    }
    for (String name : twice) {
      CreateTopicsResponse.CreatableTopicResult answer =
          new CreateTopicsResponse.CreatableTopicResult();
      answer.name = name;
      answer.errorCode = WireError.INVALID_REQUEST.code();
      answer.errorMessage = "The topic " + name + " occurs more than once in the request";
      response.topics.add(answer);
    }
    reply.send(response);
  }

  private TopicResult create(NewTopic wanted, boolean validateOnly) {
    TopicResult refusal = cluster.refusal(wanted.name());
    if (refusal != null) {
      return refusal;
    }
    return validateOnly ? controller.validateTopic(wanted) : controller.createTopic(wanted);
  }

  private static NewTopic wanted(CreateTopicsRequest.CreatableTopic topic) {
    TreeMap<Integer, List<Integer>> assignment = new TreeMap<>();
    topic.assignments.forEach(a -> assignment.put(a.partitionIndex, List.copyOf(a.brokerIds)));
    TreeMap<String, @org.jspecify.annotations.Nullable String> configs = new TreeMap<>();
    topic.configs.forEach(c -> configs.put(c.name, c.value));
    return new NewTopic(
        topic.name, topic.numPartitions, topic.replicationFactor, assignment, configs);
  }

  private CreateTopicsResponse.CreatableTopicResult answer(TopicResult result) {
    CreateTopicsResponse.CreatableTopicResult answer =
        new CreateTopicsResponse.CreatableTopicResult();
    answer.name = result.name();
    answer.errorCode = result.error().code();
    answer.errorMessage = result.message();
    TopicState topic = result.topic();
    if (topic == null) {
      return answer;
    }
    answer.topicId = topic.id();
    answer.numPartitions = topic.partitions().size();
    answer.replicationFactor = (short) topic.partitions().get(0).replicas().size();
    List<CreateTopicsResponse.CreatableTopicConfigs> configs = new ArrayList<>();
    for (ConfigEntry entry : ConfigEntry.ofTopic(topic, cluster.settings())) {
      CreateTopicsResponse.CreatableTopicConfigs shown =
          new CreateTopicsResponse.CreatableTopicConfigs();
      shown.name = entry.key().name();
      shown.value = entry.value();
      shown.configSource = entry.source();
      configs.add(shown);
    }
    answer.configs = configs;
    return answer;
  }
}
