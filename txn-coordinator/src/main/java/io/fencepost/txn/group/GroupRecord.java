package io.fencepost.txn.group;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a group keeps across restarts: its last completed generation. Written when an assignment is
 * made, when the last member is gone, and when a static member comes back under a new id.
 *
 * @param protocolType "consumer" for consumers; empty if the group never had members
 * @param stateSinceMs wall time of the last change of state; offsets of an empty group expire from
 *     here
 */
public record GroupRecord(
    String protocolType,
    int generation,
    @Nullable String protocol,
    @Nullable String leaderId,
    long stateSinceMs,
    List<MemberRecord> members) {

  /** One member of the generation. Immutable. */
  public record MemberRecord(
      MemberIdentity identity,
      JoinCommand.ClientOrigin origin,
      JoinCommand.Timeouts timeouts,
      GroupProtocol subscription,
      Assignment assignment) {}
}
