package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member is told when its generation is formed, or why it is not let in.
 *
 * @param members everybody's subscription, for the leader; empty for all others
 */
public record JoinResult(
    WireError error,
    int generation,
    @Nullable String protocolType,
    @Nullable String protocol,
    String leaderId,
    boolean skipAssignment,
    String memberId,
    List<Subscription> members) {

  public static JoinResult refused(WireError error, String memberId) {
    return new JoinResult(error, -1, null, null, "", false, memberId, List.of());
  }

  /** One member as the leader sees it. */
  public record Subscription(
      String memberId, @Nullable String instanceId, GroupProtocol protocol) {}
}
