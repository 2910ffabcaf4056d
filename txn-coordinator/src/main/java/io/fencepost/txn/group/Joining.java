package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** What a JoinGroup does to a group. Part of {@link ClassicGroup}. */
final class Joining {
  private final ClassicGroup group;

  Joining(ClassicGroup group) {
    this.group = group;
  }

  void join(JoinCommand command, Consumer<JoinResult> answer, Moment now, GroupEffects out) {
    String memberId = command.identity().memberId();
    WireError refusal = refusal(command);
    if (refusal != WireError.NONE) {
      boolean full = refusal == WireError.GROUP_MAX_SIZE_REACHED;
      refuse(refusal, full ? "" : memberId, answer, out);
      if (full) {
        group.rebalance.turnAway(memberId, now, out);
      }
    } else if (memberId.isEmpty()) {
      joinAsStranger(command, answer, now, out);
    } else {
      joinAsKnown(command, answer, now, out);
    }
  }

  private static void refuse(
      WireError error, String memberId, Consumer<JoinResult> answer, GroupEffects out) {
    JoinResult result = JoinResult.refused(error, memberId);
    out.answer(() -> answer.accept(result));
  }

  private WireError refusal(JoinCommand command) {
    if (!group.limits.allowsSessionTimeout(command.timeouts().sessionTimeoutMs())) {
      return WireError.INVALID_SESSION_TIMEOUT;
    }
    if (group.state() == GroupState.DEAD) {
      return WireError.COORDINATOR_NOT_AVAILABLE;
    }
    if (!hasRoom(command.identity().memberId())) {
      return WireError.GROUP_MAX_SIZE_REACHED;
    }
    return supports(command) ? WireError.NONE : WireError.INCONSISTENT_GROUP_PROTOCOL;
  }

  private boolean hasRoom(String memberId) {
    Member member = group.roster.find(memberId);
    int maxSize = group.limits.maxSize();
    return switch (group.state()) {
      case EMPTY, DEAD -> true;
      case PREPARING_REBALANCE ->
          (member != null && member.awaitingJoin != null) || group.roster.joinedCount() < maxSize;
      case COMPLETING_REBALANCE, STABLE -> member != null || group.roster.size() < maxSize;
    };
  }

  private boolean supports(JoinCommand command) {
    if (command.protocolType().isEmpty() || command.protocols().isEmpty()) {
      return false;
    }
    return group.state() == GroupState.EMPTY
        || (command.protocolType().equals(group.protocolType)
            && new ProtocolVotes(group.roster.members()).admits(command.protocols()));
  }

  private void joinAsStranger(
      JoinCommand command, Consumer<JoinResult> answer, Moment now, GroupEffects out) {
    String instanceId = command.identity().instanceId();
    String formerId = instanceId == null ? null : group.roster.staticMemberId(instanceId);
    if (formerId != null) {
      takeOver(group.member(formerId), command, answer, now, out);
    } else if (instanceId == null && command.requireKnownMemberId()) {
      group.roster.addPending(
          command.freshMemberId(), now.monotonicMs() + command.timeouts().sessionTimeoutMs());
      refuse(WireError.MEMBER_ID_REQUIRED, command.freshMemberId(), answer, out);
    } else {
      enter(command.freshMemberId(), command, answer, now, out);
    }
  }

  private void joinAsKnown(
      JoinCommand command, Consumer<JoinResult> answer, Moment now, GroupEffects out) {
    MemberIdentity identity = command.identity();
    if (identity.instanceId() == null && group.roster.isPending(identity.memberId())) {
      enter(identity.memberId(), command, answer, now, out);
      return;
    }
    WireError claim = group.roster.check(identity);
    if (claim != WireError.NONE) {
      refuse(claim, identity.memberId(), answer, out);
      return;
    }
    Member member = group.member(identity.memberId());
    boolean unchanged = GroupProtocol.same(member.protocols, command.protocols());
    boolean stay =
        switch (group.state()) {
          case COMPLETING_REBALANCE -> unchanged;
          case STABLE -> unchanged && !group.roster.isLeader(member);
          case EMPTY, PREPARING_REBALANCE, DEAD -> false;
        };
    if (stay) {
      member.keepAlive(now.monotonicMs());
      JoinResult result = group.rebalance.joined(member);
      out.answer(() -> answer.accept(result));
      return;
    }
    update(member, command);
    await(member, answer, out);
    group.rebalance.prepareOrComplete(now, out);
  }

  private void enter(
      String memberId,
      JoinCommand command,
      Consumer<JoinResult> answer,
      Moment now,
      GroupEffects out) {
    if (group.roster.isEmpty()) {
      group.protocolType = command.protocolType();
    }
    Member member =
        new Member(
            new MemberIdentity(memberId, command.identity().instanceId()),
            command.origin(),
            command.timeouts(),
            command.protocols());
    member.isNew = true;
    member.sessionDeadlineMs = now.monotonicMs() + Member.NEW_MEMBER_TIMEOUT_MS;
    group.roster.add(member);
    await(member, answer, out);
    group.rebalance.onNewMember();
    group.rebalance.prepareOrComplete(now, out);
  }

  /** A static member is back under a new id: its former life is fenced. */
  private void takeOver(
      Member former,
      JoinCommand command,
      Consumer<JoinResult> answer,
      Moment now,
      GroupEffects out) {
    String leaderBefore = group.rebalance.leaderName();
    group.rebalance.answerJoin(
        former, JoinResult.refused(WireError.FENCED_INSTANCE_ID, former.id()), out);
    group.rebalance.refuseSync(former, WireError.FENCED_INSTANCE_ID, out);
    Member member = former.reborn(command.freshMemberId(), command.origin());
    update(member, command);
    member.keepAlive(now.monotonicMs());
    group.roster.replace(former, member);
    if (group.owesSync.remove(former.id())) {
      group.owesSync.add(member.id());
    }
    boolean sameProtocol =
        group.state() == GroupState.STABLE
            && Objects.equals(ProtocolVotes.winner(group.roster.members()), group.protocol);
    if (!sameProtocol) {
      await(member, answer, out);
      group.rebalance.prepareOrComplete(now, out);
      return;
    }
    // It waits like any joiner, so that a rebalance that begins meanwhile takes it along.
    member.awaitingJoin = answer;
    JoinResult result = resumed(member, command.supportsSkipAssignment(), leaderBefore);
    out.write(
        group.record(group.describeMembers()),
        (error, then, next) -> {
          if (group.state() != GroupState.STABLE || group.roster.find(member.id()) != member) {
            return;
          }
          if (error == WireError.NONE) {
            member.keepAlive(then.monotonicMs());
            group.rebalance.answerJoin(member, result, next);
          } else {
            group.rebalance.answerJoin(member, JoinResult.refused(error, ""), next);
            restore(former, member);
          }
        });
  }

  /**
   * An old client that is told it leads would assign at once, so it is told its former id leads;
   * newer ones are told the truth and that there is nothing to assign.
   */
  private JoinResult resumed(Member member, boolean supportsSkip, String leaderBefore) {
    boolean leads = group.roster.isLeader(member);
    return new JoinResult(
        WireError.NONE,
        group.generation,
        group.protocolType,
        group.protocol,
        supportsSkip ? group.rebalance.leaderName() : leaderBefore,
        supportsSkip && leads,
        member.id(),
        supportsSkip && leads ? group.rebalance.subscriptions() : List.of());
  }

  private void restore(Member former, Member member) {
    group.roster.replace(member, former);
    if (group.owesSync.remove(member.id())) {
      group.owesSync.add(former.id());
    }
  }

  private static void update(Member member, JoinCommand command) {
    member.protocols = List.copyOf(command.protocols());
    member.timeouts = command.timeouts();
  }

  private static void await(Member member, Consumer<JoinResult> answer, GroupEffects out) {
    Consumer<JoinResult> superseded = member.awaitingJoin;
    if (superseded != null) {
      JoinResult result = JoinResult.refused(WireError.REBALANCE_IN_PROGRESS, member.id());
      out.answer(() -> superseded.accept(result));
    }
    member.awaitingJoin = answer;
  }
}
