package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.JoinGroupRequest;
import io.fencepost.broker.wire.message.JoinGroupResponse;
import io.fencepost.txn.group.ClassicBridge;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.GroupProtocol;
import io.fencepost.txn.group.JoinCommand;
import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import io.fencepost.txn.group.JoinResult;
import io.fencepost.txn.group.MemberIdentity;
import java.util.List;
import java.util.function.Consumer;

/**
 * JoinGroup, versions 0 to 9.
 *
 * <ul>
 *   <li>Answers when the generation is formed; the leader gets everybody's subscription.
 *   <li>A member id that the group does not know is refused; an empty one makes a new member.
 *   <li>Versions: 1 rebalance timeout (before: the session timeout); 4 a new dynamic member is told
 *       its id and comes again (KIP-394); 5 static members (KIP-345); 7 protocol type in the answer
 *       (KIP-559); 8 reason (KIP-800, of no effect); 9 a returning static leader skips the
 *       assignment (KIP-814).
 * </ul>
 */
public final class JoinGroup implements ApiHandler<JoinGroupRequest, JoinGroupResponse> {
  private static final int KNOWN_MEMBER_IDS = 4;
  private static final int NULLABLE_PROTOCOL = 7;
  private static final int SKIP_ASSIGNMENT = 9;

  private final GroupCoordinator groups;
  private final ClassicBridge bridge;

  public JoinGroup(GroupCoordinator groups, ClassicBridge bridge) {
    this.groups = groups;
    this.bridge = bridge;
  }

  @Override
  public void handle(
      RequestContext context, JoinGroupRequest request, Reply<JoinGroupResponse> reply) {
    int version = context.apiVersion();
    if (request.groupId.isEmpty()) {
      reply.send(refused(WireError.INVALID_GROUP_ID, request.memberId, version));
      return;
    }
    join(
        request.groupId,
        command(context, request),
        result -> reply.send(response(result, version)));
  }

  private void join(String groupId, JoinCommand command, Consumer<JoinResult> answer) {
    groups.step(
        groupId,
        (shard, now, out) -> shard.join(groupId, command, answer, now, out),
        () -> bridge.join(groupId, command, answer, () -> join(groupId, command, answer)),
        error -> answer.accept(JoinResult.refused(error, command.identity().memberId())));
  }

  private JoinCommand command(RequestContext context, JoinGroupRequest request) {
    String clientId = context.clientId() == null ? "" : context.clientId();
    String instanceId = request.groupInstanceId;
    List<GroupProtocol> protocols =
        request.protocols.stream().map(p -> new GroupProtocol(p.name, p.metadata)).toList();
    int rebalanceMs =
        context.apiVersion() == 0 ? request.sessionTimeoutMs : request.rebalanceTimeoutMs;
    return new JoinCommand(
        new MemberIdentity(request.memberId, instanceId),
        groups.freshMemberId(instanceId == null ? clientId : instanceId),
        new ClientOrigin(clientId, ClientHost.of(context)),
        request.protocolType,
        protocols,
        new Timeouts(request.sessionTimeoutMs, rebalanceMs),
        context.apiVersion() >= KNOWN_MEMBER_IDS,
        context.apiVersion() >= SKIP_ASSIGNMENT);
  }

  private static JoinGroupResponse refused(WireError error, String memberId, int version) {
    JoinGroupResponse response = new JoinGroupResponse();
    response.errorCode = error.code();
    response.memberId = memberId;
    response.protocolName = version < NULLABLE_PROTOCOL ? "" : null;
    return response;
  }

  private static JoinGroupResponse response(JoinResult result, int version) {
    JoinGroupResponse response = refused(result.error(), result.memberId(), version);
    response.generationId = result.generation();
    response.protocolType = result.protocolType();
    if (result.protocol() != null) {
      response.protocolName = result.protocol();
    }
    response.leader = result.leaderId();
    response.skipAssignment = result.skipAssignment();
    for (JoinResult.Subscription subscription : result.members()) {
      JoinGroupResponse.JoinGroupResponseMember member =
          new JoinGroupResponse.JoinGroupResponseMember();
      member.memberId = subscription.memberId();
      member.groupInstanceId = subscription.instanceId();
      member.metadata = subscription.protocol().metadata();
      response.members.add(member);
    }
    return response;
  }
}
