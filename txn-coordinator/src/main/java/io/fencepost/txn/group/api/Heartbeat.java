package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.HeartbeatRequest;
import io.fencepost.broker.wire.message.HeartbeatResponse;
import io.fencepost.txn.group.ClassicBridge;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.MemberIdentity;
import java.util.function.Consumer;

/**
 * Heartbeat, versions 0 to 4.
 *
 * <ul>
 *   <li>Keeps the member's session alive; REBALANCE_IN_PROGRESS tells it to join again.
 *   <li>Versions: 3 static members (KIP-345).
 * </ul>
 */
public final class Heartbeat implements ApiHandler<HeartbeatRequest, HeartbeatResponse> {
  private final GroupCoordinator groups;
  private final ClassicBridge bridge;

  public Heartbeat(GroupCoordinator groups, ClassicBridge bridge) {
    this.groups = groups;
    this.bridge = bridge;
  }

  @Override
  public void handle(
      RequestContext context, HeartbeatRequest request, Reply<HeartbeatResponse> reply) {
    if (request.groupId.isEmpty()) {
      reply.send(response(WireError.INVALID_GROUP_ID));
      return;
    }
    MemberIdentity identity = new MemberIdentity(request.memberId, request.groupInstanceId);
    beat(request.groupId, identity, request.generationId, e -> reply.send(response(e)));
  }

  private void beat(
      String groupId, MemberIdentity identity, int generation, Consumer<WireError> answer) {
    groups.step(
        groupId,
        (shard, now, out) -> {
          ClassicGroup group = shard.find(groupId);
          WireError error =
              group == null
                  ? WireError.UNKNOWN_MEMBER_ID
                  : group.heartbeat(identity, generation, now);
          out.answer(() -> answer.accept(error));
        },
        () ->
            bridge.heartbeat(
                groupId,
                identity,
                generation,
                answer,
                () -> beat(groupId, identity, generation, answer)),
        answer);
  }

  private static HeartbeatResponse response(WireError error) {
    HeartbeatResponse response = new HeartbeatResponse();
    response.errorCode = error.code();
    return response;
  }
}
