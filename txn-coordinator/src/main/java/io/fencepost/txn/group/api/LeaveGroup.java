package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.LeaveGroupRequest;
import io.fencepost.broker.wire.message.LeaveGroupResponse;
import io.fencepost.txn.group.ClassicBridge;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.MemberIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

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
  private final ClassicBridge bridge;

  public LeaveGroup(GroupCoordinator groups, ClassicBridge bridge) {
    this.groups = groups;
    this.bridge = bridge;
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
    leave(
        request.groupId,
        leaving,
        error -> reply.send(refused(error)),
        errors -> reply.send(response(leaving, errors, isSingle)));
  }

  private void leave(
      String groupId,
      List<MemberIdentity> leaving,
      Consumer<WireError> refused,
      Consumer<List<WireError>> answer) {
    groups.step(
        groupId,
        (shard, now, out) -> {
          ClassicGroup group = shard.find(groupId);
          List<WireError> errors = new ArrayList<>();
          for (MemberIdentity member : leaving) {
            errors.add(group == null ? WireError.UNKNOWN_MEMBER_ID : group.leave(member, now, out));
          }
          out.answer(() -> answer.accept(errors));
        },
        () ->
            bridge.leave(groupId, leaving, answer, () -> leave(groupId, leaving, refused, answer)),
        refused);
  }

  private static LeaveGroupResponse response(
      List<MemberIdentity> leaving, List<WireError> errors, boolean isSingle) {
    LeaveGroupResponse response = new LeaveGroupResponse();
    if (isSingle) {
      response.errorCode = errors.get(0).code();
      return response;
    }
    for (int i = 0; i < leaving.size(); i++) {
      LeaveGroupResponse.MemberResponse left = new LeaveGroupResponse.MemberResponse();
      left.memberId = leaving.get(i).memberId();
      left.groupInstanceId = leaving.get(i).instanceId();
      left.errorCode = errors.get(i).code();
      response.members.add(left);
    }
    return response;
  }

  private static LeaveGroupResponse refused(WireError error) {
    LeaveGroupResponse response = new LeaveGroupResponse();
    response.errorCode = error.code();
    return response;
  }
}
