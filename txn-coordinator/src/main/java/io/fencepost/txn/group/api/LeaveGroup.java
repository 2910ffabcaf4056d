package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.LeaveGroupRequest;
import io.fencepost.broker.wire.message.LeaveGroupResponse;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupEffects;
import io.fencepost.txn.group.MemberIdentity;
import io.fencepost.txn.group.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LeaveGroup, versions 0 to 5.
 *
 * <ul>
 *   <li>A member goes without waiting for its session to end. A static member may be removed by its
 *       instance id alone.
 *   <li>Versions: 3 several members in one request, each with its own error, and static members
 *       (KIP-345); 5 reason (KIP-800, of no effect).
 * </ul>
 */
public final class LeaveGroup implements ApiHandler<LeaveGroupRequest, LeaveGroupResponse> {
  private static final int SEVERAL_MEMBERS = 3;

  private final GroupCoordinator groups;

  public LeaveGroup(GroupCoordinator groups) {
    this.groups = groups;
  }

  @Override
  public void handle(
      RequestContext context, LeaveGroupRequest request, Reply<LeaveGroupResponse> reply) {
    if (request.groupId.isEmpty()) {
      reply.send(refused(WireError.INVALID_GROUP_ID));
      return;
    }
    boolean isSingle = context.apiVersion() < SEVERAL_MEMBERS;
    List<MemberIdentity> leaving =
        isSingle
            ? List.of(new MemberIdentity(request.memberId, null))
            : request.members.stream()
                .map(member -> new MemberIdentity(member.memberId, member.groupInstanceId))
                .toList();
    groups.step(
        request.groupId,
        (shard, now, out) -> {
          ClassicGroup group = shard.find(request.groupId);
          LeaveGroupResponse response = new LeaveGroupResponse();
          for (MemberIdentity member : leaving) {
            LeaveGroupResponse.MemberResponse left = new LeaveGroupResponse.MemberResponse();
            left.memberId = member.memberId();
            left.groupInstanceId = member.instanceId();
            left.errorCode = leave(group, member, now, out).code();
            response.members.add(left);
          }
          if (isSingle) {
            response.errorCode = response.members.get(0).errorCode;
            response.members.clear();
          }
          out.answer(() -> reply.send(response));
        },
        error -> reply.send(refused(error)));
  }

  private static WireError leave(
      @Nullable ClassicGroup group, MemberIdentity member, Moment now, GroupEffects out) {
    return group == null ? WireError.UNKNOWN_MEMBER_ID : group.leave(member, now, out);
  }

  private static LeaveGroupResponse refused(WireError error) {
    LeaveGroupResponse response = new LeaveGroupResponse();
    response.errorCode = error.code();
    return response;
  }
}
