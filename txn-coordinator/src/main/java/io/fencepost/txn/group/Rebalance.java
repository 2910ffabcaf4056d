package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * How a group gets from one generation to the next: whom it waits for, how long, and who is left
 * out. Part of {@link ClassicGroup}, split off for its length only.
 *
 * <p>Two waits, never both: for JoinGroups while PreparingRebalance, for SyncGroups from then until
 * every member of the generation has fetched its assignment.
 */
final class Rebalance {
  private static final long NEVER = Long.MAX_VALUE;

  private final ClassicGroup group;
  private long joinDeadlineMs = NEVER;
  private long syncDeadlineMs = NEVER;

  /** The first rebalance of an empty group waits a while for others, however many are there. */
  private boolean isInitial;

  /** What is left of the rebalance timeout for further initial waits. */
  private long initialBudgetMs;

  /** Somebody joined during this initial wait, so more may come. */
  private boolean newcomer;

  Rebalance(ClassicGroup group) {
    this.group = group;
  }

  void onNewMember() {
    if (group.state() == GroupState.PREPARING_REBALANCE && isInitial) {
      newcomer = true;
    }
  }

  /** Starts a rebalance, or ends the one in process if nobody is missing any more. */
  void prepareOrComplete(Moment now, GroupEffects out) {
    if (GroupState.PREPARING_REBALANCE.mayFollow(group.state())) {
      prepare(now, out);
    } else {
      completeIfReady(now, out);
    }
  }

  void prepare(Moment now, GroupEffects out) {
    refuseSyncs(WireError.REBALANCE_IN_PROGRESS, out);
    syncDeadlineMs = NEVER;
    group.owesSync.clear();
    isInitial = group.state() == GroupState.EMPTY && group.limits.initialRebalanceDelayMs() > 0;
    long patienceMs = group.roster.maxRebalanceTimeoutMs();
    if (isInitial) {
      long delayMs = Math.min(group.limits.initialRebalanceDelayMs(), patienceMs);
      joinDeadlineMs = now.monotonicMs() + delayMs;
      initialBudgetMs = patienceMs - delayMs;
      newcomer = false;
    } else {
      joinDeadlineMs = now.monotonicMs() + patienceMs;
    }
    group.move(GroupState.PREPARING_REBALANCE, now);
    completeIfReady(now, out);
  }

  void completeIfReady(Moment now, GroupEffects out) {
    if (group.state() == GroupState.PREPARING_REBALANCE
        && !isInitial
        && group.roster.everybodyJoined()) {
      complete(now, out);
    }
  }

  private void onJoinDeadline(Moment now, GroupEffects out) {
    if (isInitial && newcomer && initialBudgetMs > 0) {
      long delayMs = Math.min(group.limits.initialRebalanceDelayMs(), initialBudgetMs);
      joinDeadlineMs = now.monotonicMs() + delayMs;
      initialBudgetMs -= delayMs;
      newcomer = false;
      return;
    }
    complete(now, out);
  }

  private void complete(Moment now, GroupEffects out) {
    for (Member member : group.roster.snapshot()) {
      if (member.awaitingJoin == null && !member.isStatic()) {
        group.roster.remove(member);
      }
    }
    if (!group.roster.isEmpty() && !group.roster.electAmongJoined()) {
      // Only static members that have not come back: keep their places, wait for one to lead.
      isInitial = false;
      joinDeadlineMs = now.monotonicMs() + group.roster.maxRebalanceTimeoutMs();
      return;
    }
    isInitial = false;
    joinDeadlineMs = NEVER;
    group.generation++;
    if (group.roster.isEmpty()) {
      group.protocol = null;
      group.move(GroupState.EMPTY, now);
      out.write(group.record(List.of()), (error, then, next) -> {});
    } else {
      formGeneration(now, out);
    }
  }

  private void formGeneration(Moment now, GroupEffects out) {
    group.protocol = ProtocolVotes.winner(group.roster.members());
    group.move(GroupState.COMPLETING_REBALANCE, now);
    syncDeadlineMs = now.monotonicMs() + group.roster.maxRebalanceTimeoutMs();
    for (Member member : group.roster.members()) {
      answerJoin(member, joined(member), out);
      member.isNew = false;
      member.keepAlive(now.monotonicMs());
      group.owesSync.add(member.id());
    }
  }

  /** The current generation as the member is told of it. */
  JoinResult joined(Member member) {
    return new JoinResult(
        WireError.NONE,
        group.generation,
        group.protocolType,
        group.protocol,
        leaderName(),
        false,
        member.id(),
        group.roster.isLeader(member) ? subscriptions() : List.of());
  }

  String leaderName() {
    String leaderId = group.roster.leaderId();
    return leaderId == null ? "" : leaderId;
  }

  List<JoinResult.Subscription> subscriptions() {
    List<JoinResult.Subscription> all = new ArrayList<>();
    String protocol = group.protocol == null ? "" : group.protocol;
    for (Member member : group.roster.members()) {
      all.add(
          new JoinResult.Subscription(
              member.id(),
              member.identity.instanceId(),
              new GroupProtocol(protocol, member.metadata(protocol))));
    }
    return all;
  }

  void answerJoin(Member member, JoinResult result, GroupEffects out) {
    Consumer<JoinResult> waiting = member.awaitingJoin;
    if (waiting != null) {
      member.awaitingJoin = null;
      out.answer(() -> waiting.accept(result));
    }
  }

  void refuseSyncs(WireError error, GroupEffects out) {
    for (Member member : group.roster.members()) {
      refuseSync(member, error, out);
    }
  }

  void refuseSync(Member member, WireError error, GroupEffects out) {
    Consumer<SyncResult> waiting = member.awaitingSync;
    if (waiting != null) {
      member.awaitingSync = null;
      out.answer(() -> waiting.accept(SyncResult.refused(error)));
    }
  }

  /** The member left or fell silent; the others share its work. */
  void removeMember(Member member, Moment now, GroupEffects out) {
    answerJoin(member, JoinResult.refused(WireError.UNKNOWN_MEMBER_ID, member.id()), out);
    refuseSync(member, WireError.UNKNOWN_MEMBER_ID, out);
    group.roster.remove(member);
    group.owesSync.remove(member.id());
    switch (group.state()) {
      case COMPLETING_REBALANCE, STABLE -> prepare(now, out);
      case PREPARING_REBALANCE -> completeIfReady(now, out);
      case EMPTY, DEAD -> {}
    }
  }

  /** There is no room for who claims this id, so nobody waits for it any longer. */
  void turnAway(String memberId, Moment now, GroupEffects out) {
    Member late = group.roster.find(memberId);
    if (late != null) {
      removeMember(late, now, out);
    } else if (group.roster.removePending(memberId)) {
      completeIfReady(now, out);
    }
  }

  void onTime(Moment now, GroupEffects out) {
    long nowMs = now.monotonicMs();
    if (group.roster.expirePending(nowMs)) {
      completeIfReady(now, out);
    }
    for (Member member : group.roster.snapshot()) {
      if (group.roster.find(member.id()) == member
          && member.hasRunningSession()
          && member.sessionDeadlineMs <= nowMs) {
        removeMember(member, now, out);
      }
    }
    if (syncDeadlineMs <= nowMs) {
      onSyncDeadline(now, out);
    }
    if (joinDeadlineMs <= nowMs) {
      onJoinDeadline(now, out);
    }
  }

  private void onSyncDeadline(Moment now, GroupEffects out) {
    syncDeadlineMs = NEVER;
    if (group.owesSync.isEmpty()) {
      return;
    }
    for (Member member : group.roster.snapshot()) {
      if (group.owesSync.remove(member.id())) {
        group.roster.remove(member);
      }
    }
    prepare(now, out);
  }

  void stop() {
    joinDeadlineMs = NEVER;
    syncDeadlineMs = NEVER;
  }

  long nextDeadlineMs() {
    return Math.min(joinDeadlineMs, syncDeadlineMs);
  }
}
