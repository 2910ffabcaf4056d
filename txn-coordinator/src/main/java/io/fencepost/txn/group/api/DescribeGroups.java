package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeGroupsRequest;
import io.fencepost.broker.wire.message.DescribeGroupsResponse;
import io.fencepost.broker.wire.message.DescribeGroupsResponse.DescribedGroup;
import io.fencepost.broker.wire.message.DescribeGroupsResponse.DescribedGroupMember;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupRecord.MemberRecord;
import io.fencepost.txn.group.GroupShard;
import io.fencepost.txn.group.GroupState;

/**
 * DescribeGroups, versions 0 to 6.
 *
 * <ul>
 *   <li>Subscriptions, assignments and the protocol are shown for a Stable group only.
 *   <li>An unknown group is Dead; from version 6 on that is GROUP_ID_NOT_FOUND as well (KIP-1043).
 *   <li>Versions: 3 authorized operations (all that a group has: there is no authorizer); 4
 *       instance ids; 6 error message.
 * </ul>
 */
public final class DescribeGroups
    implements ApiHandler<DescribeGroupsRequest, DescribeGroupsResponse> {
  private static final int NOT_FOUND_IS_AN_ERROR = 6;

  /** READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS and ALTER_CONFIGS, one bit each. */
  static final int ALL_OPERATIONS = 0b1101_0100_1000;

  private final GroupCoordinator groups;

  public DescribeGroups(GroupCoordinator groups) {
    this.groups = groups;
  }

  @Override
  public void handle(
      RequestContext context, DescribeGroupsRequest request, Reply<DescribeGroupsResponse> reply) {
    DescribeGroupsResponse response = new DescribeGroupsResponse();
    boolean notFoundIsError = context.apiVersion() >= NOT_FOUND_IS_AN_ERROR;
    for (String groupId : request.groups) {
      groups.read(
          groupId,
          shard -> describe(shard, groupId, notFoundIsError, request.includeAuthorizedOperations),
          response.groups::add,
          error -> {
            DescribedGroup refused = new DescribedGroup();
            refused.groupId = groupId;
            refused.errorCode = error.code();
            response.groups.add(refused);
          });
      reply.claim(sizeBytes(response.groups.get(response.groups.size() - 1)));
    }
    reply.send(response);
  }

  private static long sizeBytes(DescribedGroup group) {
    long sizeBytes = 0;
    for (DescribedGroupMember member : group.members) {
      sizeBytes +=
          Reply.STRUCT_BYTES + member.memberMetadata.length + member.memberAssignment.length;
    }
    return sizeBytes;
  }

  private static DescribedGroup describe(
      GroupShard shard, String groupId, boolean notFoundIsError, boolean withOperations) {
    DescribedGroup described = new DescribedGroup();
    described.groupId = groupId;
    // A group of the newer protocol is no classic group, whatever offsets it has.
    boolean isOther = shard.findConsumer(groupId) != null;
    ClassicGroup group = isOther ? null : shard.findKnown(groupId);
    if (group == null) {
      described.groupState = GroupState.DEAD.protocolName();
      if (notFoundIsError) {
        described.errorCode = WireError.GROUP_ID_NOT_FOUND.code();
        described.errorMessage = "Group " + groupId + " not found.";
      }
      return described;
    }
    boolean isStable = group.state() == GroupState.STABLE;
    String protocol = group.protocol();
    described.groupState = group.state().protocolName();
    described.protocolType = group.protocolType();
    described.protocolData = isStable && protocol != null ? protocol : "";
    if (withOperations) {
      described.authorizedOperations = ALL_OPERATIONS;
    }
    for (MemberRecord member : group.describeMembers()) {
      described.members.add(describe(member, isStable));
    }
    return described;
  }

  private static DescribedGroupMember describe(MemberRecord member, boolean isStable) {
    DescribedGroupMember described = new DescribedGroupMember();
    described.memberId = member.identity().memberId();
    described.groupInstanceId = member.identity().instanceId();
    described.clientId = member.origin().clientId();
    described.clientHost = member.origin().clientHost();
    if (isStable) {
      described.memberMetadata = member.subscription().metadata();
      described.memberAssignment = member.assignment().bytes();
    }
    return described;
  }
}
