package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DeleteTopicsRequest;
import io.fencepost.broker.wire.message.DeleteTopicsResponse;
import org.jspecify.annotations.Nullable;

/**
 * DeleteTopics, v1 to v6: by name, from v6 also by id. A topic and its files are gone when the
 * answer goes out. The broker's own topics are refused (INVALID_REQUEST): its coordinators live in
 * them. v5 adds messages.
 */
final class DeleteTopics implements ApiHandler<DeleteTopicsRequest, DeleteTopicsResponse> {
  private final BrokerMetadata cluster;
  private final Controller controller;
  private final boolean isEnabled;

  DeleteTopics(BrokerMetadata cluster, Controller controller, BrokerConfig config) {
    this.cluster = cluster;
    this.controller = controller;
    this.isEnabled = config.flag("delete.topic.enable");
  }

  @Override
  public void handle(
      RequestContext context, DeleteTopicsRequest request, Reply<DeleteTopicsResponse> reply) {
    DeleteTopicsResponse response = new DeleteTopicsResponse();
    request.topicNames.forEach(name -> response.responses.add(delete(name, Uuid.ZERO)));
    request.topics.forEach(topic -> response.responses.add(delete(topic.name, topic.topicId)));
    reply.send(response);
  }

  private DeleteTopicsResponse.DeletableTopicResult delete(@Nullable String name, Uuid id) {
    TopicState byId = cluster.state().topic(id);
    String target = name != null ? name : byId == null ? null : byId.name();
    DeleteTopicsResponse.DeletableTopicResult answer =
        new DeleteTopicsResponse.DeletableTopicResult();
    answer.name = target;
    answer.topicId = id;
    TopicResult result;
    if (!isEnabled) {
      result = refused(WireError.TOPIC_DELETION_DISABLED, "delete.topic.enable is false");
    } else if (name != null && !id.equals(Uuid.ZERO)) {
      result = refused(WireError.INVALID_REQUEST, "A topic is named by name or by id, not by both");
    } else if (target == null) {
      result = refused(WireError.UNKNOWN_TOPIC_ID, "There is no topic with the id " + id);
    } else {
      TopicResult refusal = cluster.refusal(target);
      result = refusal != null ? refusal : controller.deleteTopic(target);
    }
    answer.errorCode = result.error().code();
    answer.errorMessage = result.message();
    TopicState deleted = result.topic();
    if (deleted != null) {
      answer.topicId = deleted.id();
    }
    return answer;
  }

  private static TopicResult refused(WireError error, String message) {
    return new TopicResult("", error, message, null);
  }
}
