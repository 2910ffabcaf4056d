package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ConsumerGroupDescribeRequest;
import io.fencepost.broker.wire.message.ConsumerGroupDescribeResponse;
import io.fencepost.broker.wire.message.ConsumerGroupDescribeResponse.DescribedGroup;
import io.fencepost.txn.group.ConsumerGroups;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.ConsumerMember;
import io.fencepost.txn.group.consumer.MemberMetadata;
import io.fencepost.txn.group.consumer.PartitionSet;
import io.fencepost.txn.group.consumer.TopicsView;
import java.util.ArrayList;

/**
 * ConsumerGroupDescribe, versions 0 and 1.
 *
 * <ul>
 *   <li>Groups of the newer protocol with their members, what these have (also what they are about
 *       to give up) and what they shall have. Any other group is GROUP_ID_NOT_FOUND here.
 *   <li>Partitions of topics that are gone are not shown.
 *   <li>Versions: 1 which protocol a member speaks (KIP-1099).
 * </ul>
 */
public final class ConsumerGroupDescribe
    implements ApiHandler<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse> {
  private static final byte CLASSIC_MEMBER = 0;
  private static final byte CONSUMER_MEMBER = 1;

  private final GroupCoordinator groups;
  private final ConsumerGroups consumers;

  public ConsumerGroupDescribe(GroupCoordinator groups, ConsumerGroups consumers) {
    this.groups = groups;
    this.consumers = consumers;
  }

  @Override
  public void handle(
      RequestContext context,
      ConsumerGroupDescribeRequest request,
      Reply<ConsumerGroupDescribeResponse> reply) {
    ConsumerGroupDescribeResponse response = new ConsumerGroupDescribeResponse();
    for (String groupId : request.groupIds) {
      if (groupId.isEmpty()) {
        response.groups.add(refused(groupId, WireError.INVALID_GROUP_ID));
        continue;
      }
      groups.read(
          groupId,
          shard -> describe(shard, groupId, request.includeAuthorizedOperations),
          response.groups::add,
          error -> response.groups.add(refused(groupId, error)));
      reply.claim(sizeBytes(response.groups.get(response.groups.size() - 1)));
    }
    reply.send(response);
  }

  private static long sizeBytes(DescribedGroup group) {
    long structs = group.members.size();
    for (ConsumerGroupDescribeResponse.Member member : group.members) {
      structs += member.subscribedTopicNames.size();
      structs += member.assignment.topicPartitions.size();
      structs += member.targetAssignment.topicPartitions.size();
    }
    return structs * Reply.STRUCT_BYTES;
  }

  private static DescribedGroup refused(String groupId, WireError error) {
    DescribedGroup refused = new DescribedGroup();
    refused.groupId = groupId;
    refused.errorCode = error.code();
    return refused;
  }

  private DescribedGroup describe(GroupShard shard, String groupId, boolean withOperations) {
    ConsumerGroup group = shard.findConsumer(groupId);
    if (group == null) {
      DescribedGroup none = refused(groupId, WireError.GROUP_ID_NOT_FOUND);
      boolean isClassic = shard.findKnown(groupId) != null;
      none.errorMessage =
          "Group " + groupId + (isClassic ? " is not a consumer group." : " not found.");
      return none;
    }
    TopicsView topics = consumers.topics();
    DescribedGroup described = new DescribedGroup();
    described.groupId = groupId;
    described.groupState = group.state().protocolName();
    described.groupEpoch = group.epoch();
    described.assignmentEpoch = group.targetEpoch();
    described.assignorName = consumers.assignorOf(group);
    if (withOperations) {
      described.authorizedOperations = DescribeGroups.ALL_OPERATIONS;
    }
    for (ConsumerMember member : group.members()) {
      described.members.add(describe(group, member, topics));
    }
    return described;
  }

  private static ConsumerGroupDescribeResponse.Member describe(
      ConsumerGroup group, ConsumerMember member, TopicsView topics) {
    MemberMetadata metadata = member.metadata();
    ConsumerGroupDescribeResponse.Member described = new ConsumerGroupDescribeResponse.Member();
    described.memberId = member.id();
    described.instanceId = metadata.instanceId();
    described.rackId = metadata.rackId();
    described.memberEpoch = member.epoch();
    described.clientId = metadata.clientId();
    described.clientHost = metadata.clientHost();
    described.subscribedTopicNames = new ArrayList<>(metadata.topicNames());
    described.subscribedTopicRegex = metadata.topicRegex();
    described.assignment = assignment(member.progress().held(), topics);
    described.targetAssignment = assignment(group.target(member.id()), topics);
    described.memberType = member.isClassic() ? CLASSIC_MEMBER : CONSUMER_MEMBER;
    return described;
  }

  private static ConsumerGroupDescribeResponse.Assignment assignment(
      PartitionSet partitions, TopicsView topics) {
    ConsumerGroupDescribeResponse.Assignment assignment =
        new ConsumerGroupDescribeResponse.Assignment();
    for (Uuid topicId : partitions.topicIds()) {
      String name = topics.nameOf(topicId);
      if (name != null) {
        ConsumerGroupDescribeResponse.TopicPartitions topic =
            new ConsumerGroupDescribeResponse.TopicPartitions();
        topic.topicId = topicId;
        topic.topicName = name;
        topic.partitions = partitions.of(topicId);
        assignment.topicPartitions.add(topic);
      }
    }
    return assignment;
  }
}
