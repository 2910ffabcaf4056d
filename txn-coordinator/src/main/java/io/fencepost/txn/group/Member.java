package io.fencepost.txn.group;

import io.fencepost.txn.group.JoinCommand.ClientOrigin;
import io.fencepost.txn.group.JoinCommand.Timeouts;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One member of a group as its machine sees it. Mutable; touched by {@link ClassicGroup} and its
 * phases only.
 *
 * <p>A member that waits for an answer of ours cannot send heartbeats, so its session clock stands
 * still; only a member that has never been in a generation may time out while it waits.
 */
final class Member {
  /** A new member's wait for its first generation ends at last after this time. */
  static final int NEW_MEMBER_TIMEOUT_MS = 300_000;

  /** About what a member takes without what it tells of itself. */
  static final int STRUCT_BYTES = 1024;

  final MemberIdentity identity;
  final ClientOrigin origin;
  Timeouts timeouts;
  List<GroupProtocol> protocols;
  Assignment assignment = Assignment.NONE;

  /** True until the member's first generation is formed. */
  boolean isNew;

  /** Monotonic; of no meaning while the session clock stands still. */
  long sessionDeadlineMs;

  /** Answers the JoinGroup in process. */
  @Nullable Consumer<JoinResult> awaitingJoin;

  /** Answers the SyncGroup in process. */
  @Nullable Consumer<SyncResult> awaitingSync;

  Member(
      MemberIdentity identity,
      ClientOrigin origin,
      Timeouts timeouts,
      List<GroupProtocol> protocols) {
    this.identity = identity;
    this.origin = origin;
    this.timeouts = timeouts;
    this.protocols = List.copyOf(protocols);
  }

  String id() {
    return identity.memberId();
  }

  long sizeBytes() {
    return STRUCT_BYTES + GroupProtocol.sizeBytes(protocols) + assignment.bytes().length;
  }

  boolean isStatic() {
    return identity.instanceId() != null;
  }

  boolean hasRunningSession() {
    return isNew || (awaitingJoin == null && awaitingSync == null);
  }

  void keepAlive(long monotonicMs) {
    sessionDeadlineMs = monotonicMs + timeouts.sessionTimeoutMs();
  }

  /** The subscription under the protocol; empty if the member does not support it. */
  byte[] metadata(@Nullable String protocol) {
    for (GroupProtocol candidate : protocols) {
      if (candidate.name().equals(protocol)) {
        return candidate.metadata();
      }
    }
    return new byte[0];
  }

  /** The member's vote: the first of its protocols that everybody supports. */
  @Nullable String vote(ProtocolVotes candidates) {
    for (GroupProtocol protocol : protocols) {
      if (candidates.supportedByAll(protocol.name())) {
        return protocol.name();
      }
    }
    return null;
  }

  /** The same member under the id of its next life (static members only). */
  Member reborn(String memberId, ClientOrigin newOrigin) {
    Member next =
        new Member(
            new MemberIdentity(memberId, identity.instanceId()), newOrigin, timeouts, protocols);
    next.assignment = assignment;
    next.isNew = isNew;
    next.sessionDeadlineMs = sessionDeadlineMs;
    return next;
  }
}
