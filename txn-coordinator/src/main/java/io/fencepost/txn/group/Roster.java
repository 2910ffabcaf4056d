package io.fencepost.txn.group;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who is in a group: members in order of arrival, static names, ids handed out but not yet used,
 * and the leader.
 *
 * <p>Invariants: the leader is a member or nobody; a static name belongs to exactly one member; a
 * pending id is not a member.
 */
final class Roster {
  private final Map<String, Member> members = new LinkedHashMap<>();
  private final SortedMap<String, String> staticIds = new TreeMap<>();

  /** Member id to the monotonic deadline by which it must come back. */
  private final SortedMap<String, Long> pending = new TreeMap<>();

  private @Nullable String leaderId;

  Collection<Member> members() {
    return members.values();
  }

  /** A copy that survives removals. */
  List<Member> snapshot() {
    return new ArrayList<>(members.values());
  }

  int size() {
    return members.size();
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  @Nullable Member find(String memberId) {
    return members.get(memberId);
  }

  @Nullable String staticMemberId(String instanceId) {
    return staticIds.get(instanceId);
  }

  @Nullable String leaderId() {
    return leaderId;
  }

  void lead(@Nullable String memberId) {
    leaderId = memberId;
  }

  boolean isLeader(Member member) {
    return member.id().equals(leaderId);
  }

  /** The first one in leads. */
  void add(Member member) {
    Invariant.check(!members.containsKey(member.id()), "member %s joins twice", member.id());
    members.put(member.id(), member);
    pending.remove(member.id());
    String instanceId = member.identity.instanceId();
    if (instanceId != null) {
      String before = staticIds.put(instanceId, member.id());
      Invariant.check(before == null, "%s and %s both claim %s", before, member.id(), instanceId);
    }
    if (leaderId == null) {
      leaderId = member.id();
    }
  }

  /** Leadership passes to the longest-serving member. */
  void remove(Member member) {
    members.remove(member.id());
    String instanceId = member.identity.instanceId();
    if (instanceId != null && member.id().equals(staticIds.get(instanceId))) {
      staticIds.remove(instanceId);
    }
    if (isLeader(member)) {
      leaderId = members.isEmpty() ? null : members.keySet().iterator().next();
    }
  }

  /** Puts a static member's next life in its place; leadership goes along. */
  void replace(Member before, Member after) {
    boolean led = isLeader(before);
    remove(before);
    add(after);
    if (led) {
      leaderId = after.id();
    }
  }

  /**
   * @return NONE if the claim is right; UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID otherwise
   */
  WireError check(MemberIdentity claim) {
    String instanceId = claim.instanceId();
    if (instanceId != null) {
      String owner = staticIds.get(instanceId);
      if (owner == null) {
        return WireError.UNKNOWN_MEMBER_ID;
      }
      if (!owner.equals(claim.memberId())) {
        return WireError.FENCED_INSTANCE_ID;
      }
    }
    return members.containsKey(claim.memberId()) ? WireError.NONE : WireError.UNKNOWN_MEMBER_ID;
  }

  /** About what it takes in memory. */
  long sizeBytes() {
    long sizeBytes = (long) pending.size() * Member.STRUCT_BYTES;
    for (Member member : members.values()) {
      sizeBytes += member.sizeBytes();
    }
    return sizeBytes;
  }

  int joinedCount() {
    int count = 0;
    for (Member member : members.values()) {
      if (member.awaitingJoin != null) {
        count++;
      }
    }
    return count;
  }

  boolean everybodyJoined() {
    return pending.isEmpty() && joinedCount() == members.size();
  }

  /** Lets a member that has joined lead if the leader has not; false if nobody has joined. */
  boolean electAmongJoined() {
    Member leader = leaderId == null ? null : members.get(leaderId);
    if (leader != null && leader.awaitingJoin != null) {
      return true;
    }
    for (Member member : members.values()) {
      if (member.awaitingJoin != null) {
        leaderId = member.id();
        return true;
      }
    }
    return false;
  }

  boolean isPending(String memberId) {
    return pending.containsKey(memberId);
  }

  void addPending(String memberId, long deadlineMs) {
    pending.put(memberId, deadlineMs);
  }

  boolean removePending(String memberId) {
    return pending.remove(memberId) != null;
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  /** Drops the ids whose owners did not come back; true if there were any. */
  boolean expirePending(long monotonicMs) {
    return pending.values().removeIf(deadlineMs -> deadlineMs <= monotonicMs);
  }

  int maxRebalanceTimeoutMs() {
    int max = 0;
    for (Member member : members.values()) {
      max = Math.max(max, member.timeouts.rebalanceTimeoutMs());
    }
    return max;
  }

  /** The next moment at which a session or a pending id ends; Long.MAX_VALUE if none does. */
  long nextDeadlineMs() {
    long next = Long.MAX_VALUE;
    for (long deadlineMs : pending.values()) {
      next = Math.min(next, deadlineMs);
    }
    for (Member member : members.values()) {
      if (member.hasRunningSession()) {
        next = Math.min(next, member.sessionDeadlineMs);
      }
    }
    return next;
  }
}
