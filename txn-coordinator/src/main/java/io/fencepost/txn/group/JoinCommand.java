package io.fencepost.txn.group;

import java.util.List;

/**
 * A JoinGroup request, free of wire versions.
 *
 * @param freshMemberId the id that a new member gets; made by the caller, which owns chance
 * @param requireKnownMemberId answer a new dynamic member with its id and have it come again
 *     (KIP-394)
 * @param supportsSkipAssignment the client knows that a returning static leader need not assign
 *     (KIP-814)
 */
public record JoinCommand(
    MemberIdentity identity,
    String freshMemberId,
    ClientOrigin origin,
    String protocolType,
    List<GroupProtocol> protocols,
    Timeouts timeouts,
    boolean requireKnownMemberId,
    boolean supportsSkipAssignment) {

  /** Where the member's connection comes from, for DescribeGroups. */
  public record ClientOrigin(String clientId, String clientHost) {}

  /** How long the coordinator waits for a heartbeat, and for the member in a rebalance. */
  public record Timeouts(int sessionTimeoutMs, int rebalanceTimeoutMs) {}
}
