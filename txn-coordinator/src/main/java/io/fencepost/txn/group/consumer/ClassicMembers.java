package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Members that speak the classic protocol in a group of the newer one, while the consumers of an
 * application are replaced one after the other. Pure, like {@link Heartbeats}.
 *
 * <table>
 * <caption>A classic member in a group of the newer protocol</caption>
 * <tr><th>it sends</th><th>that is</th></tr>
 * <tr><td>JoinGroup</td><td>a heartbeat that says everything, with what its subscription says it
 *     owns; the generation is its epoch</td></tr>
 * <tr><td>SyncGroup</td><td>a question for what it may use; REBALANCE_IN_PROGRESS if the group went
 *     on</td></tr>
 * <tr><td>Heartbeat</td><td>a sign of life; REBALANCE_IN_PROGRESS if there is something to give up
 *     or to get, so that it joins again</td></tr>
 * <tr><td>LeaveGroup</td><td>its end, also for a static member; an administrator may send it for
 *     any</td></tr>
 * </table>
 */
public final class ClassicMembers {
  private final ConsumerSettings settings;
  private final Heartbeats heartbeats;

  public ClassicMembers(ConsumerSettings settings, Heartbeats heartbeats) {
    this.settings = settings;
    this.heartbeats = heartbeats;
  }

  /** Who sends a request, and the generation that it names. */
  public record Claim(String memberId, @Nullable String instanceId, int generation) {}

  /** A JoinGroup. */
  public record Join(
      String memberId,
      @Nullable String instanceId,
      String freshMemberId,
      String clientId,
      String clientHost,
      String protocolType,
      List<ClassicProtocol> protocols,
      int sessionTimeoutMs,
      int rebalanceTimeoutMs,
      boolean requiresKnownMemberId) {
    String nextMemberId() {
      return memberId.isEmpty() ? freshMemberId : memberId;
    }
  }

  /** The answer to a JoinGroup. */
  public record Joined(WireError error, String memberId, int generation, String protocol) {
    static Joined refused(WireError error, String memberId) {
      return new Joined(error, memberId, -1, "");
    }
  }

  /** The answer to a SyncGroup. */
  public record Synced(WireError error, PartitionSet assigned, int version) {
    static Synced refused(WireError error) {
      return new Synced(error, PartitionSet.EMPTY, 0);
    }
  }

  public Joined join(
      Draft draft, Join command, TopicsView topics, boolean lookAtTopics, long nowMs) {
    String memberId = command.nextMemberId();
    WireError refusal = refusal(draft.group(), command, memberId);
    if (refusal != WireError.NONE) {
      return Joined.refused(refusal, memberId);
    }
    ClassicProtocol protocol = command.protocols().get(0);
    EmbeddedProtocol.Subscription subscription =
        EmbeddedProtocol.subscription(protocol.metadata(), topics);
    if (subscription == null) {
      return Joined.refused(WireError.INCONSISTENT_GROUP_PROTOCOL, memberId);
    }
    boolean hasChanged = enrol(draft, command, memberId, subscription);
    if (hasChanged || lookAtTopics) {
      Heartbeats.maybeRaiseEpoch(draft, topics, hasChanged);
    }
    heartbeats.maybeAssign(draft, topics, nowMs);
    Heartbeats.reconcile(draft, memberId, subscription.owned(), topics);
    ConsumerMember member = Objects.requireNonNull(draft.group().member(memberId));
    return new Joined(WireError.NONE, memberId, member.epoch(), protocol.name());
  }

  private WireError refusal(ConsumerGroup group, Join command, String memberId) {
    ConsumerMember member = group.member(memberId);
    if (member == null && group.members().size() >= settings.maxSize()) {
      return WireError.GROUP_MAX_SIZE_REACHED;
    }
    if (!supports(group, command)) {
      return WireError.INCONSISTENT_GROUP_PROTOCOL;
    }
    String instanceId = command.instanceId();
    if (command.memberId().isEmpty()) {
      boolean mustComeAgain = instanceId == null && command.requiresKnownMemberId();
      return mustComeAgain ? WireError.MEMBER_ID_REQUIRED : WireError.NONE;
    }
    if (instanceId == null) {
      return WireError.NONE;
    }
    return identity(group, new Claim(memberId, instanceId, -1));
  }

  /** A newcomer must share a protocol with all classic members that are there. */
  private static boolean supports(ConsumerGroup group, Join command) {
    if (!command.protocolType().equals(EmbeddedProtocol.CONSUMER)
        || command.protocols().isEmpty()) {
      return false;
    }
    SortedMap<String, Integer> supporters = new TreeMap<>();
    int classicCount = 0;
    for (ConsumerMember member : group.members()) {
      MemberMetadata.Classic classic = member.metadata().classic();
      if (classic != null) {
        classicCount++;
        classic.protocols().forEach(p -> supporters.merge(p.name(), 1, Integer::sum));
      }
    }
    int all = classicCount;
    return command.protocols().stream().anyMatch(p -> supporters.getOrDefault(p.name(), 0) == all);
  }

  private static boolean enrol(
      Draft draft, Join command, String memberId, EmbeddedProtocol.Subscription subscription) {
    String instanceId = command.instanceId();
    ConsumerMember member = draft.group().member(memberId);
    ConsumerMember former = instanceId == null ? null : draft.group().staticMember(instanceId);
    if (member == null && former != null) {
      member = Heartbeats.succeed(draft, former, memberId);
    }
    MemberMetadata before = member == null ? MemberMetadata.NONE : member.metadata();
    MemberMetadata after =
        new MemberMetadata(
            instanceId == null ? before.instanceId() : instanceId,
            subscription.rackId() == null ? before.rackId() : subscription.rackId(),
            command.clientId(),
            command.clientHost(),
            subscription.topicNames(),
            null,
            command.rebalanceTimeoutMs(),
            before.assignor(),
            new MemberMetadata.Classic(command.sessionTimeoutMs(), command.protocols()));
    if (member == null || !after.equals(before)) {
      draft.metadata(memberId, after);
    }
    return !after.subscribesLike(before);
  }

  public Synced sync(
      ConsumerGroup group,
      Claim claim,
      @Nullable String protocolType,
      @Nullable String protocol,
      TopicsView topics) {
    WireError refusal = check(group, claim);
    if (refusal != WireError.NONE) {
      return Synced.refused(refusal);
    }
    ConsumerMember member = Objects.requireNonNull(group.member(claim.memberId()));
    MemberMetadata.Classic classic = Objects.requireNonNull(member.metadata().classic());
    ClassicProtocol own = classic.protocols().get(0);
    boolean isOther =
        (protocolType != null && !protocolType.equals(EmbeddedProtocol.CONSUMER))
            || (protocol != null && !protocol.equals(own.name()));
    if (isOther) {
      return Synced.refused(WireError.INCONSISTENT_GROUP_PROTOCOL);
    }
    // A member that has to give up first has joined already; it will join again by itself.
    boolean mustJoin =
        group.epoch() > member.epoch() && member.progress().phase() != MemberPhase.UNREVOKED;
    if (mustJoin) {
      return Synced.refused(WireError.REBALANCE_IN_PROGRESS);
    }
    EmbeddedProtocol.Subscription subscription =
        EmbeddedProtocol.subscription(own.metadata(), topics);
    return new Synced(
        WireError.NONE,
        member.progress().assigned().partitions(),
        subscription == null ? 0 : subscription.version());
  }

  public WireError heartbeat(ConsumerGroup group, Claim claim) {
    WireError refusal = check(group, claim);
    if (refusal != WireError.NONE) {
      return refusal;
    }
    ConsumerMember member = Objects.requireNonNull(group.member(claim.memberId()));
    boolean mustJoin =
        switch (member.progress().phase()) {
          case STABLE -> member.epoch() < group.epoch();
          case UNREVOKED, UNKNOWN -> true;
          case UNRELEASED -> member.epoch() < group.epoch() || !waitsForOthers(group, member);
        };
    return mustJoin ? WireError.REBALANCE_IN_PROGRESS : WireError.NONE;
  }

  private static boolean waitsForOthers(ConsumerGroup group, ConsumerMember member) {
    boolean[] waits = {false};
    group
        .target(member.id())
        .forEach(
            (topicId, partition) -> {
              String holder = group.holder(topicId, partition);
              waits[0] |= holder != null && !holder.equals(member.id());
            });
    return waits[0];
  }

  /** Each may be named by its instance id alone. An error for each, in order. */
  public List<WireError> leave(Draft draft, List<Claim> claims, TopicsView topics) {
    List<WireError> errors = new ArrayList<>();
    List<String> leaving = new ArrayList<>();
    for (Claim claim : claims) {
      ConsumerMember member = named(draft.group(), claim);
      WireError error = refusalToLeave(claim, member);
      errors.add(error);
      if (error == WireError.NONE && member != null && !leaving.contains(member.id())) {
        leaving.add(member.id());
      }
    }
    if (!leaving.isEmpty()) {
      heartbeats.remove(draft, leaving, topics);
    }
    return errors;
  }

  private static @Nullable ConsumerMember named(ConsumerGroup group, Claim claim) {
    String instanceId = claim.instanceId();
    return instanceId == null ? group.member(claim.memberId()) : group.staticMember(instanceId);
  }

  private static WireError refusalToLeave(Claim claim, @Nullable ConsumerMember member) {
    if (member == null) {
      return WireError.UNKNOWN_MEMBER_ID;
    }
    boolean isByAdministrator = claim.instanceId() != null && claim.memberId().isEmpty();
    if (isByAdministrator) {
      return WireError.NONE;
    }
    return member.id().equals(claim.memberId()) ? WireError.NONE : WireError.FENCED_INSTANCE_ID;
  }

  private static WireError check(ConsumerGroup group, Claim claim) {
    WireError identity = identity(group, claim);
    if (identity != WireError.NONE) {
      return identity;
    }
    ConsumerMember member = Objects.requireNonNull(group.member(claim.memberId()));
    if (!member.isClassic()) {
      return WireError.UNKNOWN_MEMBER_ID;
    }
    return member.epoch() == claim.generation() ? WireError.NONE : WireError.ILLEGAL_GENERATION;
  }

  private static WireError identity(ConsumerGroup group, Claim claim) {
    ConsumerMember member = named(group, claim);
    if (member == null) {
      return WireError.UNKNOWN_MEMBER_ID;
    }
    return member.id().equals(claim.memberId()) ? WireError.NONE : WireError.FENCED_INSTANCE_ID;
  }
}
