package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.consumer.ClassicMembers;
import io.fencepost.txn.group.consumer.ClassicMembers.Claim;
import io.fencepost.txn.group.consumer.ClassicProtocol;
import io.fencepost.txn.group.consumer.ConsumerMember;
import io.fencepost.txn.group.consumer.ConsumerSessions;
import io.fencepost.txn.group.consumer.Draft;
import io.fencepost.txn.group.consumer.EmbeddedProtocol;
import io.fencepost.txn.group.consumer.TopicsView;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes requests of the classic protocol to groups of the newer one. A group of the newer protocol
 * without members makes room for the classic one that a JoinGroup wants. Called by the API
 * handlers; thread-safe.
 */
public final class ClassicBridge {
  private final ConsumerGroups consumers;
  private final ClassicMembers machine;

  public ClassicBridge(ConsumerGroups consumers) {
    this.consumers = consumers;
    this.machine = new ClassicMembers(consumers.settings(), consumers.heartbeats());
  }

  /**
   * A JoinGroup.
   *
   * @param classic does it with a classic group, after all
   */
  public void join(
      String groupId, JoinCommand command, Consumer<JoinResult> answer, Runnable classic) {
    if (!consumers.classicLimits().allowsSessionTimeout(command.timeouts().sessionTimeoutMs())) {
      String memberId = command.identity().memberId();
      answer.accept(JoinResult.refused(WireError.INVALID_SESSION_TIMEOUT, memberId));
      return;
    }
    ClassicMembers.Join join = join(command);
    consumers.change(
        groupId,
        (shard, draft, topics) -> {
          if (draft.group().members().isEmpty()) {
            draft.end();
            return classic;
          }
          boolean lookAtTopics = consumers.looksAtTopics(shard, draft.group(), topics);
          ClassicMembers.Joined joined =
              machine.join(draft, join, topics, lookAtTopics, shard.now().wallMs());
          ConsumerMember member = draft.group().member(joined.memberId());
          if (joined.error() == WireError.NONE && member != null) {
            ConsumerSessions sessions = consumers.sessions(shard, groupId);
            sessions.alive(member, shard.now().monotonicMs());
            sessions.mustSync(member, shard.now().monotonicMs());
          }
          return () -> answer.accept(result(joined));
        },
        classic,
        error -> answer.accept(JoinResult.refused(error, command.identity().memberId())));
  }

  private static ClassicMembers.Join join(JoinCommand command) {
    List<ClassicProtocol> protocols =
        command.protocols().stream().map(p -> new ClassicProtocol(p.name(), p.metadata())).toList();
    return new ClassicMembers.Join(
        command.identity().memberId(),
        command.identity().instanceId(),
        command.freshMemberId(),
        command.origin().clientId(),
        command.origin().clientHost(),
        command.protocolType(),
        protocols,
        command.timeouts().sessionTimeoutMs(),
        command.timeouts().rebalanceTimeoutMs(),
        command.requireKnownMemberId());
  }

  /** Nobody leads: the server assigns. */
  private static JoinResult result(ClassicMembers.Joined joined) {
    return joined.error() == WireError.NONE
        ? new JoinResult(
            WireError.NONE,
            joined.generation(),
            EmbeddedProtocol.CONSUMER,
            joined.protocol(),
            "",
            false,
            joined.memberId(),
            List.of())
        : JoinResult.refused(joined.error(), joined.memberId());
  }

  /** A SyncGroup. */
  public void sync(
      String groupId, SyncCommand command, Consumer<SyncResult> answer, Runnable classic) {
    Claim claim = claim(command.identity(), command.generation());
    consumers.change(
        groupId,
        (shard, draft, topics) -> {
          ClassicMembers.Synced synced =
              machine.sync(
                  draft.group(), claim, command.protocolType(), command.protocol(), topics);
          track(shard, draft, claim, synced.error());
          SyncResult result = result(command, synced, topics);
          return () -> answer.accept(result);
        },
        classic,
        error -> answer.accept(SyncResult.refused(error)));
  }

  private static SyncResult result(
      SyncCommand command, ClassicMembers.Synced synced, TopicsView topics) {
    return synced.error() == WireError.NONE
        ? new SyncResult(
            WireError.NONE,
            command.protocolType(),
            command.protocol(),
            new Assignment(
                EmbeddedProtocol.assignment(synced.assigned(), synced.version(), topics)))
        : SyncResult.refused(synced.error());
  }

  /** A Heartbeat. */
  public void heartbeat(
      String groupId,
      MemberIdentity identity,
      int generation,
      Consumer<WireError> answer,
      Runnable classic) {
    Claim claim = claim(identity, generation);
    consumers.change(
        groupId,
        (shard, draft, topics) -> {
          WireError error = machine.heartbeat(draft.group(), claim);
          ConsumerMember member = draft.group().member(claim.memberId());
          boolean isHeard = error == WireError.NONE || error == WireError.REBALANCE_IN_PROGRESS;
          if (isHeard && member != null) {
            ConsumerSessions sessions = consumers.sessions(shard, groupId);
            sessions.alive(member, shard.now().monotonicMs());
            if (error == WireError.REBALANCE_IN_PROGRESS) {
              sessions.mustJoin(member, shard.now().monotonicMs());
            }
          }
          return () -> answer.accept(error);
        },
        classic,
        answer);
  }

  private void track(GroupShard shard, Draft draft, Claim claim, WireError error) {
    ConsumerMember member = draft.group().member(claim.memberId());
    if (member == null) {
      return;
    }
    ConsumerSessions sessions = consumers.sessions(shard, draft.group().id());
    long nowMs = shard.now().monotonicMs();
    if (error == WireError.NONE) {
      sessions.synced(member.id());
      sessions.alive(member, nowMs);
    } else if (error == WireError.REBALANCE_IN_PROGRESS) {
      sessions.mustJoin(member, nowMs);
    }
  }

  /** A LeaveGroup; an error for each member, in order. */
  public void leave(
      String groupId,
      List<MemberIdentity> members,
      Consumer<List<WireError>> answer,
      Runnable classic) {
    List<Claim> claims = members.stream().map(member -> claim(member, -1)).toList();
    consumers.change(
        groupId,
        (shard, draft, topics) -> {
          List<WireError> errors = machine.leave(draft, claims, topics);
          return () -> answer.accept(errors);
        },
        classic,
        error -> answer.accept(members.stream().map(member -> error).toList()));
  }

  private static Claim claim(MemberIdentity identity, int generation) {
    return new Claim(identity.memberId(), identity.instanceId(), generation);
  }
}
