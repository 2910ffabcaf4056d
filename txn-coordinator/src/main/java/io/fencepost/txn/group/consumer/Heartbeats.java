package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What heartbeats, departures and deadlines do to a group of the newer protocol. Pure: reads and
 * extends a {@link Draft}, whose changes count when they are logged.
 *
 * <table>
 * <caption>Steps of a heartbeat</caption>
 * <tr><th>if</th><th>then</th></tr>
 * <tr><td>the member is new, or says something new</td><td>its metadata are logged</td></tr>
 * <tr><td>what somebody subscribes to has changed, or a topic has</td>
 *     <td>the group's epoch goes up</td></tr>
 * <tr><td>the targets are of an older epoch</td><td>an {@link Assignor} makes them anew</td></tr>
 * <tr><td>the member is not where its target is</td><td>{@link Reconciliation}</td></tr>
 * </table>
 */
public final class Heartbeats {
  private final ConsumerSettings settings;
  private final MemberCheck check;

  public Heartbeats(ConsumerSettings settings) {
    this.settings = settings;
    this.check = new MemberCheck(settings);
  }

  /**
   * A heartbeat of a member that stays or comes.
   *
   * @param memberId who it is from now on: the one in the command, or a fresh one
   * @param lookAtTopics false if they are as they were at the group's last heartbeat
   */
  public HeartbeatAnswer beat(
      Draft draft,
      ConsumerHeartbeat command,
      String memberId,
      TopicsView topics,
      boolean lookAtTopics,
      long nowMs) {
    HeartbeatAnswer refusal = refusal(draft, command, memberId);
    if (refusal != null) {
      return refusal;
    }
    PartitionSet before = assigned(draft.group(), memberId);
    boolean hasChanged = enrol(draft, command, memberId, nowMs);
    if (hasChanged || lookAtTopics) {
      maybeRaiseEpoch(draft, topics, hasChanged);
    }
    maybeAssign(draft, topics, nowMs);
    reconcile(draft, memberId, command.owned(), topics);
    PartitionSet after = assigned(draft.group(), memberId);
    ConsumerMember member = Objects.requireNonNull(draft.group().member(memberId));
    return new HeartbeatAnswer(
        WireError.NONE,
        null,
        memberId,
        member.epoch(),
        command.isFull() || !after.equals(before) ? after : null);
  }

  /** Why the member is not let in or on; null if it is. */
  public @Nullable HeartbeatAnswer refusal(
      Draft draft, ConsumerHeartbeat command, String memberId) {
    Refusal refusal = check.refusal(draft.group(), command, memberId);
    return refusal == null ? null : HeartbeatAnswer.refused(refusal.error(), refusal.message());
  }

  private static PartitionSet assigned(ConsumerGroup group, String memberId) {
    ConsumerMember member = group.member(memberId);
    return member == null ? PartitionSet.EMPTY : member.progress().assigned().partitions();
  }

  /** Writes down who the member is; answers whether the group's subscription changes by that. */
  private static boolean enrol(
      Draft draft, ConsumerHeartbeat command, String memberId, long nowMs) {
    ConsumerMember member = draft.group().member(memberId);
    String instanceId = command.instanceId();
    ConsumerMember former = instanceId == null ? null : draft.group().staticMember(instanceId);
    if (member == null && former != null) {
      member = succeed(draft, former, memberId);
    }
    MemberMetadata before = member == null ? MemberMetadata.NONE : member.metadata();
    TopicRegex regex = command.regex();
    MemberMetadata after = updated(before, command);
    boolean isNew = member == null;
    if (isNew || !after.equals(before)) {
      draft.metadata(memberId, after);
    }
    boolean hasPattern =
        regex != null && !regex.text().isEmpty() && keepPattern(draft, regex, nowMs);
    boolean subscribesAnew = !after.subscribesLike(before);
    if (subscribesAnew) {
      dropUnusedPatterns(draft);
    }
    return subscribesAnew || hasPattern;
  }

  private static MemberMetadata updated(MemberMetadata before, ConsumerHeartbeat command) {
    TopicRegex regex = command.regex();
    String pattern = regex == null ? before.topicRegex() : regex.text();
    return new MemberMetadata(
        command.instanceId() == null ? before.instanceId() : command.instanceId(),
        command.rackId() == null ? before.rackId() : command.rackId(),
        command.clientId(),
        command.clientHost(),
        command.topicNames() == null ? before.topicNames() : command.topicNames(),
        pattern == null || pattern.isEmpty() ? null : pattern,
        command.rebalanceTimeoutMs() < 0
            ? before.rebalanceTimeoutMs()
            : command.rebalanceTimeoutMs(),
        command.assignor() == null ? before.assignor() : command.assignor(),
        null);
  }

  /** A static member is back under a new id, and takes over what its former life had. */
  static ConsumerMember succeed(Draft draft, ConsumerMember former, String memberId) {
    PartitionSet target = draft.group().target(former.id());
    MemberProgress progress = former.progress();
    draft.remove(former.id());
    draft.metadata(memberId, former.metadata());
    draft.target(memberId, target);
    draft.progress(
        memberId,
        new MemberProgress(0, 0, progress.phase(), progress.assigned(), OwnedPartitions.NONE));
    return Objects.requireNonNull(draft.group().member(memberId));
  }

  /** Remembers what a pattern matches; answers whether that is news. */
  private static boolean keepPattern(Draft draft, TopicRegex regex, long nowMs) {
    ConsumerChange.Matches known = draft.group().patterns().get(regex.text());
    if (known != null && known.topics().equals(regex.matches())) {
      return false;
    }
    long version = known == null ? 1 : known.version() + 1;
    draft.pattern(regex.text(), new ConsumerChange.Matches(regex.matches(), version, nowMs));
    return true;
  }

  private static void dropUnusedPatterns(Draft draft) {
    SortedSet<String> used = new TreeSet<>();
    for (ConsumerMember member : draft.group().members()) {
      String regex = member.metadata().topicRegex();
      if (regex != null) {
        used.add(regex);
      }
    }
    List<String> unused = new ArrayList<>(draft.group().patterns().keySet());
    unused.removeAll(used);
    unused.forEach(regex -> draft.pattern(regex, null));
  }

  static void maybeRaiseEpoch(Draft draft, TopicsView topics, boolean hasChanged) {
    ConsumerGroup group = draft.group();
    long hash = TopicsHash.of(group.subscribedTopics(), topics);
    if (hasChanged || hash != group.topicsHash()) {
      draft.epoch(group.epoch() + 1, hash);
    }
  }

  void maybeAssign(Draft draft, TopicsView topics, long nowMs) {
    ConsumerGroup group = draft.group();
    long sinceMs = nowMs - group.targetMadeMs();
    // Made in the future, it says: the clock was set back, and nobody shall wait for it.
    boolean isDue =
        group.targetMadeMs() <= 0
            || sinceMs < 0
            || sinceMs >= settings.timesOf(group.id()).assignmentIntervalMs();
    if (group.epoch() > group.targetEpoch() && isDue) {
      new TargetAssignment(settings, topics).make(draft, nowMs);
    }
  }

  static void reconcile(
      Draft draft, String memberId, @Nullable PartitionSet owned, TopicsView topics) {
    ConsumerMember member = Objects.requireNonNull(draft.group().member(memberId));
    MemberProgress next = new Reconciliation(draft.group(), topics).next(member, owned);
    if (!next.equals(member.progress())) {
      draft.progress(memberId, next);
    }
  }

  /** The assignor that most members wish for, or the broker's first one. */
  public String assignorOf(ConsumerGroup group) {
    return TargetAssignment.preferred(group, settings);
  }

  /** A member leaves, for good or, if it is static, for a while. */
  public HeartbeatAnswer leave(Draft draft, ConsumerHeartbeat command, TopicsView topics) {
    Refusal refusal = MemberCheck.refusalToLeave(draft.group(), command);
    if (refusal != null) {
      return HeartbeatAnswer.refused(refusal.error(), refusal.message());
    }
    ConsumerMember member = Objects.requireNonNull(draft.group().member(command.memberId()));
    if (command.memberEpoch() == MemberProgress.STATIC_LEFT) {
      MemberProgress now = member.progress();
      draft.progress(
          member.id(),
          new MemberProgress(
              MemberProgress.STATIC_LEFT,
              now.epoch(),
              now.phase(),
              now.assigned(),
              OwnedPartitions.NONE));
    } else {
      remove(draft, List.of(member.id()), topics);
    }
    return new HeartbeatAnswer(
        WireError.NONE, null, command.memberId(), command.memberEpoch(), null);
  }

  /** Members are out: they left, fell silent, or did not give up in time. */
  public void remove(Draft draft, List<String> memberIds, TopicsView topics) {
    memberIds.forEach(draft::remove);
    dropUnusedPatterns(draft);
    ConsumerGroup group = draft.group();
    draft.epoch(group.epoch() + 1, TopicsHash.of(group.subscribedTopics(), topics));
    if (draft.group().members().isEmpty()) {
      // Nobody is there to come and have targets made.
      draft.targetsMade(draft.group().epoch(), 0);
    }
  }

  /** Topics were made or went: the patterns match others. */
  public void rematch(Draft draft, List<TopicRegex> regexes, TopicsView topics, long nowMs) {
    boolean hasChanged = false;
    for (TopicRegex regex : regexes) {
      if (draft.group().patterns().containsKey(regex.text())) {
        hasChanged |= keepPattern(draft, regex, nowMs);
      }
    }
    if (hasChanged) {
      maybeRaiseEpoch(draft, topics, true);
    }
  }
}
