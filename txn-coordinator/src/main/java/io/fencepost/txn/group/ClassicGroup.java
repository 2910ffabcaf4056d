package io.fencepost.txn.group;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.InvariantViolation;
import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.GroupRecord.MemberRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The machine of one classic consumer group: who is in it, which generation, who does what. The
 * shard of the group's internal partition owns it, calls it under its gate and steps it at {@link
 * #nextDeadlineMs}. Commands are values, time is an argument, answers and records come out through
 * {@link GroupEffects}. States and moves: {@link GroupState}.
 *
 * <p>Membership is soft: only completed generations are written ({@link GroupRecord}). A group that
 * is rebuilt from its record is Stable, and its members go on with their next heartbeat.
 *
 * <p>Kafka's classic protocol with static members (KIP-345), known member ids (KIP-394), protocol
 * names in SyncGroup (KIP-559) and the assignment skipped by a returning leader (KIP-814).
 */
public final class ClassicGroup {
  /** The protocol type whose subscriptions the broker can read. */
  public static final String CONSUMER = "consumer";

  final String id;
  final GroupLimits limits;
  final Roster roster = new Roster();
  final Rebalance rebalance = new Rebalance(this);
  private final Joining joining = new Joining(this);

  private GroupState state = GroupState.EMPTY;
  private long stateSinceMs;
  int generation;
  String protocolType = "";
  @Nullable String protocol;

  /** Members of this generation that have not sent their SyncGroup yet. */
  final SortedSet<String> owesSync = new TreeSet<>();

  /** A group that nobody has joined yet. */
  public ClassicGroup(String id, GroupLimits limits, Moment now) {
    this.id = id;
    this.limits = limits;
    this.stateSinceMs = now.wallMs();
  }

  /** The group as of its last record; every member has a session's time to show up. */
  public static ClassicGroup restore(
      String id, GroupRecord record, GroupLimits limits, Moment now) {
    ClassicGroup group = new ClassicGroup(id, limits, now);
    group.protocolType = record.protocolType();
    group.generation = record.generation();
    group.stateSinceMs = record.stateSinceMs() < 0 ? now.wallMs() : record.stateSinceMs();
    for (MemberRecord saved : record.members()) {
      Member member =
          new Member(
              saved.identity(), saved.origin(), saved.timeouts(), List.of(saved.subscription()));
      member.assignment = saved.assignment();
      member.keepAlive(now.monotonicMs());
      group.roster.add(member);
    }
    if (!record.members().isEmpty()) {
      group.protocol = record.protocol();
      group.roster.lead(record.leaderId());
      group.state = GroupState.STABLE;
    }
    return group;
  }

  public String id() {
    return id;
  }

  public GroupState state() {
    return state;
  }

  public int generation() {
    return generation;
  }

  public String protocolType() {
    return protocolType;
  }

  /** What DescribeGroups shows; null unless a generation is there. */
  public @Nullable String protocol() {
    return protocol;
  }

  public long stateSinceMs() {
    return stateSinceMs;
  }

  /** About what its members take in memory. */
  long sizeBytes() {
    return roster.sizeBytes();
  }

  /** The same of one member; 0 if there is none of that id. */
  long sizeBytes(String memberId) {
    Member member = roster.find(memberId);
    return member == null ? 0 : member.sizeBytes();
  }

  /** Nothing is lost when the owner forgets a group that answers true and its record is kept. */
  public boolean isIdle() {
    return state == GroupState.EMPTY && !roster.hasPending();
  }

  /** A JoinGroup; answered when the generation is formed, or at once if there is nothing to do. */
  public void join(JoinCommand command, Consumer<JoinResult> answer, Moment now, GroupEffects out) {
    joining.join(command, answer, now, out);
  }

  /** A SyncGroup; answered when the leader's assignment is durable. */
  public void sync(SyncCommand command, Consumer<SyncResult> answer, Moment now, GroupEffects out) {
    WireError refusal = refusal(command);
    if (refusal != WireError.NONE) {
      out.answer(() -> answer.accept(SyncResult.refused(refusal)));
      return;
    }
    Member member = member(command.identity().memberId());
    if (state == GroupState.STABLE) {
      member.keepAlive(now.monotonicMs());
      owesSync.remove(member.id());
      SyncResult result = assigned(member);
      out.answer(() -> answer.accept(result));
      return;
    }
    Consumer<SyncResult> superseded = member.awaitingSync;
    if (superseded != null) {
      out.answer(() -> superseded.accept(SyncResult.refused(WireError.REBALANCE_IN_PROGRESS)));
    }
    member.awaitingSync = answer;
    owesSync.remove(member.id());
    if (roster.isLeader(member)) {
      logAssignment(command, out);
    }
  }

  private WireError refusal(SyncCommand command) {
    if (state == GroupState.DEAD) {
      return WireError.COORDINATOR_NOT_AVAILABLE;
    }
    WireError claim = roster.check(command.identity());
    if (claim != WireError.NONE) {
      return claim;
    }
    if (command.generation() != generation) {
      return WireError.ILLEGAL_GENERATION;
    }
    if (differs(command.protocolType(), protocolType) || differs(command.protocol(), protocol)) {
      return WireError.INCONSISTENT_GROUP_PROTOCOL;
    }
    return switch (state) {
      case EMPTY -> WireError.UNKNOWN_MEMBER_ID;
      case PREPARING_REBALANCE -> WireError.REBALANCE_IN_PROGRESS;
      case COMPLETING_REBALANCE, STABLE, DEAD -> WireError.NONE;
    };
  }

  private static boolean differs(@Nullable String claimed, @Nullable String actual) {
    return claimed != null && !claimed.equals(actual);
  }

  private void logAssignment(SyncCommand command, GroupEffects out) {
    int written = generation;
    List<MemberRecord> assigned = new ArrayList<>();
    for (Member member : roster.members()) {
      byte[] share = command.assignments().get(member.id());
      assigned.add(saved(member, share == null ? Assignment.NONE : new Assignment(share)));
    }
    out.write(
        record(assigned),
        (error, now, next) -> {
          if (state != GroupState.COMPLETING_REBALANCE || generation != written) {
            return;
          }
          if (error != WireError.NONE) {
            rebalance.refuseSyncs(error, next);
            rebalance.prepare(now, next);
            return;
          }
          for (MemberRecord share : assigned) {
            member(share.identity().memberId()).assignment = share.assignment();
          }
          move(GroupState.STABLE, now);
          answerSyncs(now, next);
        });
  }

  private void answerSyncs(Moment now, GroupEffects out) {
    for (Member member : roster.members()) {
      Consumer<SyncResult> waiting = member.awaitingSync;
      if (waiting != null) {
        member.awaitingSync = null;
        member.keepAlive(now.monotonicMs());
        SyncResult result = assigned(member);
        out.answer(() -> waiting.accept(result));
      }
    }
  }

  private SyncResult assigned(Member member) {
    return new SyncResult(WireError.NONE, protocolType, protocol, member.assignment);
  }

  /** A Heartbeat. */
  public WireError heartbeat(MemberIdentity identity, int claimedGeneration, Moment now) {
    if (state == GroupState.DEAD) {
      return WireError.COORDINATOR_NOT_AVAILABLE;
    }
    WireError claim = roster.check(identity);
    if (claim != WireError.NONE) {
      return claim;
    }
    if (claimedGeneration != generation) {
      return WireError.ILLEGAL_GENERATION;
    }
    member(identity.memberId()).keepAlive(now.monotonicMs());
    return state == GroupState.PREPARING_REBALANCE
        ? WireError.REBALANCE_IN_PROGRESS
        : WireError.NONE;
  }

  /**
   * One entry of a LeaveGroup. A static member may be named by its instance id alone, as an
   * administrator does.
   */
  public WireError leave(MemberIdentity identity, Moment now, GroupEffects out) {
    if (state == GroupState.DEAD) {
      return WireError.COORDINATOR_NOT_AVAILABLE;
    }
    String memberId = identity.memberId();
    if (identity.instanceId() != null && memberId.isEmpty()) {
      String owner = roster.staticMemberId(identity.instanceId());
      if (owner == null) {
        return WireError.UNKNOWN_MEMBER_ID;
      }
      memberId = owner;
    }
    if (identity.instanceId() == null && roster.removePending(memberId)) {
      rebalance.completeIfReady(now, out);
      return WireError.NONE;
    }
    WireError claim = roster.check(new MemberIdentity(memberId, identity.instanceId()));
    if (claim == WireError.NONE) {
      rebalance.removeMember(member(memberId), now, out);
    }
    return claim;
  }

  /** Ends sessions and waits whose time has come. */
  public void onTime(Moment now, GroupEffects out) {
    rebalance.onTime(now, out);
  }

  /** A group that was made of one of the newer protocol comes together. */
  void rebalanceAnew(Moment now, GroupEffects out) {
    if (state == GroupState.STABLE) {
      rebalance.prepareOrComplete(now, out);
    }
  }

  /** The monotonic moment of the next {@link #onTime} that has something to do. */
  public long nextDeadlineMs() {
    return Math.min(roster.nextDeadlineMs(), rebalance.nextDeadlineMs());
  }

  /**
   * Ends the group in memory: deleted, or its shard moves to another broker. Whoever waits is
   * answered with the error.
   */
  public void die(WireError error, Moment now, GroupEffects out) {
    rebalance.refuseSyncs(error, out);
    for (Member member : roster.snapshot()) {
      rebalance.answerJoin(member, JoinResult.refused(error, member.id()), out);
      roster.remove(member);
    }
    rebalance.stop();
    move(GroupState.DEAD, now);
  }

  /**
   * Whether an offset commit may pass.
   *
   * @param transactional a TxnOffsetCommit: members that do not name a generation are not checked
   *     (clients before KIP-447), and a rebalance does not hold it up
   */
  public WireError checkCommit(
      MemberIdentity identity, int claimedGeneration, boolean transactional) {
    if (state == GroupState.DEAD) {
      return WireError.COORDINATOR_NOT_AVAILABLE;
    }
    if (claimedGeneration < 0 && state == GroupState.EMPTY) {
      return WireError.NONE;
    }
    boolean named =
        claimedGeneration >= 0 || !identity.memberId().isEmpty() || identity.instanceId() != null;
    if (named) {
      WireError claim = roster.check(identity);
      if (claim != WireError.NONE) {
        return claim;
      }
      if (claimedGeneration != generation) {
        return WireError.ILLEGAL_GENERATION;
      }
    } else if (!transactional && state != GroupState.EMPTY) {
      return WireError.UNKNOWN_MEMBER_ID;
    }
    return !transactional && state == GroupState.COMPLETING_REBALANCE
        ? WireError.REBALANCE_IN_PROGRESS
        : WireError.NONE;
  }

  /** A commit is a sign of life, too. */
  public void onCommit(MemberIdentity identity, Moment now) {
    Member member = roster.find(identity.memberId());
    if (member != null) {
      member.keepAlive(now.monotonicMs());
    }
  }

  /** The members, with what they subscribe to under the current protocol. */
  public List<MemberRecord> describeMembers() {
    List<MemberRecord> described = new ArrayList<>();
    for (Member member : roster.members()) {
      described.add(saved(member, member.assignment));
    }
    return described;
  }

  /** The topics that members read; null if the broker cannot know. */
  public @Nullable SortedSet<String> subscribedTopics() {
    if (!protocolType.equals(CONSUMER)) {
      return null;
    }
    SortedSet<String> topics = new TreeSet<>();
    for (Member member : roster.members()) {
      for (GroupProtocol supported : member.protocols) {
        if (protocol == null || supported.name().equals(protocol)) {
          SortedSet<String> named = SubscriptionTopics.of(supported.metadata());
          if (named == null) {
            return null;
          }
          topics.addAll(named);
        }
      }
    }
    return topics;
  }

  GroupRecord record(List<MemberRecord> members) {
    return new GroupRecord(
        protocolType, generation, protocol, roster.leaderId(), stateSinceMs, members);
  }

  MemberRecord saved(Member member, Assignment assignment) {
    return new MemberRecord(
        member.identity,
        member.origin,
        member.timeouts,
        new GroupProtocol(protocol == null ? "" : protocol, member.metadata(protocol)),
        assignment);
  }

  Member member(String memberId) {
    Member member = roster.find(memberId);
    if (member == null) {
      throw new InvariantViolation("group " + id + " has no member " + memberId);
    }
    return member;
  }

  void move(GroupState next, Moment now) {
    Invariant.check(next.mayFollow(state), "group %s cannot go from %s to %s", id, state, next);
    state = next;
    stateSinceMs = now.wallMs();
  }
}
