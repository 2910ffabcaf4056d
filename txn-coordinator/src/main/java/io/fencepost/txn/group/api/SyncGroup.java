package io.fencepost.txn.group.api;

import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.SyncGroupRequest;
import io.fencepost.broker.wire.message.SyncGroupResponse;
import io.fencepost.txn.group.ClassicBridge;
import io.fencepost.txn.group.ClassicGroup;
import io.fencepost.txn.group.GroupCoordinator;
import io.fencepost.txn.group.MemberIdentity;
import io.fencepost.txn.group.SyncCommand;
import io.fencepost.txn.group.SyncResult;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * SyncGroup, versions 0 to 5.
 *
 * <ul>
 *   <li>The leader brings the assignment; it is answered, and all who wait with it, when the
 *       generation is durable.
 *   <li>Versions: 3 static members (KIP-345); 5 protocol type and name, which must be there and
 *       right (KIP-559).
 * </ul>
 */
public final class SyncGroup implements ApiHandler<SyncGroupRequest, SyncGroupResponse> {
  private static final int NAMED_PROTOCOL = 5;

  private final GroupCoordinator groups;
  private final ClassicBridge bridge;

  public SyncGroup(GroupCoordinator groups, ClassicBridge bridge) {
    this.groups = groups;
    this.bridge = bridge;
  }

  @Override
  public void handle(
      RequestContext context, SyncGroupRequest request, Reply<SyncGroupResponse> reply) {
    boolean isNamed = request.protocolType != null && request.protocolName != null;
    if (context.apiVersion() >= NAMED_PROTOCOL && !isNamed) {
      reply.send(refused(WireError.INCONSISTENT_GROUP_PROTOCOL));
      return;
    }
    if (request.groupId.isEmpty()) {
      reply.send(refused(WireError.INVALID_GROUP_ID));
      return;
    }
    SortedMap<String, byte[]> shares = new TreeMap<>();
    request.assignments.forEach(share -> shares.put(share.memberId, share.assignment));
    SyncCommand command =
        new SyncCommand(
            new MemberIdentity(request.memberId, request.groupInstanceId),
            request.generationId,
            request.protocolType,
            request.protocolName,
            shares);
    sync(request.groupId, command, result -> reply.send(response(result)));
  }

  private void sync(String groupId, SyncCommand command, Consumer<SyncResult> answer) {
    groups.step(
        groupId,
        (shard, now, out) -> {
          ClassicGroup group = shard.findKnown(groupId);
          if (group == null) {
            out.answer(() -> answer.accept(SyncResult.refused(WireError.UNKNOWN_MEMBER_ID)));
          } else {
            group.sync(command, answer, now, out);
          }
        },
        () -> bridge.sync(groupId, command, answer, () -> sync(groupId, command, answer)),
        error -> answer.accept(SyncResult.refused(error)));
  }

  private static SyncGroupResponse refused(WireError error) {
    SyncGroupResponse response = new SyncGroupResponse();
    response.errorCode = error.code();
    return response;
  }

  private static SyncGroupResponse response(SyncResult result) {
    SyncGroupResponse response = refused(result.error());
    response.protocolType = result.protocolType();
    response.protocolName = result.protocol();
    response.assignment = result.assignment().bytes();
    return response;
  }
}
