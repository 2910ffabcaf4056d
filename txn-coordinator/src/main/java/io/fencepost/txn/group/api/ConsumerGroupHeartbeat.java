package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatRequest;
import io.fencepost.broker.wire.message.ConsumerGroupHeartbeatResponse;
import io.fencepost.txn.group.ConsumerGroups;
import io.fencepost.txn.group.consumer.ConsumerHeartbeat;
import io.fencepost.txn.group.consumer.HeartbeatAnswer;
import io.fencepost.txn.group.consumer.PartitionSet;
import io.fencepost.txn.group.consumer.TopicRegex;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * ConsumerGroupHeartbeat, versions 0 and 1 (KIP-848).
 *
 * <ul>
 *   <li>Joins, stays, leaves; the answer brings the member's epoch and, when it has changed or the
 *       member said everything, what it may use.
 *   <li>A change is answered when it is durable.
 *   <li>Versions: 0 the coordinator may choose the member id; 1 the member does (KIP-1082), and may
 *       subscribe by a pattern in RE2 syntax.
 * </ul>
 */
public final class ConsumerGroupHeartbeat
    implements ApiHandler<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse> {
  private static final int OWN_MEMBER_IDS = 1;

  private final ConsumerGroups groups;

  public ConsumerGroupHeartbeat(ConsumerGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(
      RequestContext context,
      ConsumerGroupHeartbeatRequest request,
      Reply<ConsumerGroupHeartbeatResponse> reply) {
    String complaint = complaint(request, context.apiVersion());
    if (complaint != null) {
      reply.send(refused(WireError.INVALID_REQUEST, complaint));
      return;
    }
    String assignor = request.serverAssignor;
    List<String> assignors = groups.settings().assignors();
    if (assignor != null && !assignors.contains(assignor)) {
      reply.send(
          refused(
              WireError.UNSUPPORTED_ASSIGNOR,
              "There is no assignor %s; there are %s"
                  .formatted(assignor, String.join(", ", assignors))));
      return;
    }
    groups.heartbeat(
        request.groupId,
        command(context, request),
        answer -> reply.send(response(request.groupId, answer)));
  }

  private static @Nullable String complaint(ConsumerGroupHeartbeatRequest request, int version) {
    if (request.groupId.isBlank()) {
      return "The group id is empty";
    }
    if (request.instanceId != null && request.instanceId.isBlank()) {
      return "The instance id is empty; leave it out instead";
    }
    if (request.rackId != null && request.rackId.isBlank()) {
      return "The rack id is empty; leave it out instead";
    }
    boolean needsId = version >= OWN_MEMBER_IDS || request.memberEpoch != 0;
    if (needsId && request.memberId.isBlank()) {
      return "The member id is empty";
    }
    if (request.memberEpoch < -2) {
      return "No member has epoch " + request.memberEpoch;
    }
    if (request.memberEpoch == -2 && request.instanceId == null) {
      return "Only a member with an instance id can leave for a while";
    }
    return request.memberEpoch == 0 ? complaintAboutJoin(request) : null;
  }

  private static @Nullable String complaintAboutJoin(ConsumerGroupHeartbeatRequest request) {
    if (request.rebalanceTimeoutMs == -1) {
      return "A member that joins has to give its rebalance timeout";
    }
    if (request.topicPartitions == null || !request.topicPartitions.isEmpty()) {
      return "A member that joins owns no partitions";
    }
    return request.subscribedTopicNames == null && request.subscribedTopicRegex == null
        ? "A member that joins has to say what it subscribes to"
        : null;
  }

  private ConsumerHeartbeat command(RequestContext context, ConsumerGroupHeartbeatRequest request) {
    String regex = request.subscribedTopicRegex;
    List<String> names = request.subscribedTopicNames;
    return new ConsumerHeartbeat(
        request.memberId,
        request.memberEpoch,
        request.instanceId,
        request.rackId,
        request.rebalanceTimeoutMs,
        context.clientId() == null ? "" : context.clientId(),
        ClientHost.of(context),
        names == null ? null : new TreeSet<>(names),
        regex == null ? null : TopicRegex.of(regex, groups.topics()),
        request.serverAssignor,
        owned(request.topicPartitions));
  }

  private static @Nullable PartitionSet owned(
      @Nullable List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics) {
    if (topics == null) {
      return null;
    }
    PartitionSet.Builder owned = new PartitionSet.Builder();
    topics.forEach(topic -> topic.partitions.forEach(p -> owned.add(topic.topicId, p)));
    return owned.build();
  }

  private static ConsumerGroupHeartbeatResponse refused(WireError error, String message) {
    ConsumerGroupHeartbeatResponse response = new ConsumerGroupHeartbeatResponse();
    response.errorCode = error.code();
    response.errorMessage = message;
    return response;
  }

  private ConsumerGroupHeartbeatResponse response(String groupId, HeartbeatAnswer answer) {
    ConsumerGroupHeartbeatResponse response = new ConsumerGroupHeartbeatResponse();
    response.errorCode = answer.error().code();
    response.errorMessage = answer.message();
    response.memberId = answer.memberId();
    response.memberEpoch = answer.memberEpoch();
    if (answer.error() == WireError.NONE && answer.memberEpoch() >= 0) {
      response.heartbeatIntervalMs = groups.settings().timesOf(groupId).heartbeatIntervalMs();
    }
    PartitionSet assigned = answer.assignment();
    if (assigned != null) {
      ConsumerGroupHeartbeatResponse.Assignment assignment =
          new ConsumerGroupHeartbeatResponse.Assignment();
      for (Uuid topicId : assigned.topicIds()) {
        ConsumerGroupHeartbeatResponse.TopicPartitions topic =
            new ConsumerGroupHeartbeatResponse.TopicPartitions();
        topic.topicId = topicId;
        topic.partitions = assigned.of(topicId);
        assignment.topicPartitions.add(topic);
      }
      response.assignment = assignment;
    }
    return response;
  }
}
