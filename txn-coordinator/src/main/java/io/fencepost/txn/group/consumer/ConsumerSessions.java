package io.fencepost.txn.group.consumer;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Until when the members of one group must show up, and until when they must have given up what
 * they shall. Soft: after a restart all begin anew. Monotonic time. Single-threaded.
 */
public final class ConsumerSessions {
  private static final long NEVER = Long.MAX_VALUE;

  private final IntSupplier sessionTimeoutMs;
  private final SortedMap<String, Long> silentUntilMs = new TreeMap<>();
  private final SortedMap<String, Revocation> revocations = new TreeMap<>();

  /** Until when classic members must send the JoinGroup or SyncGroup that is due. */
  private final SortedMap<String, Long> joinUntilMs = new TreeMap<>();

  private final SortedMap<String, Long> syncUntilMs = new TreeMap<>();

  /** The version of the topics that the group was compared with last; null to compare anew. */
  private @Nullable Object seenTopics;

  private record Revocation(int epoch, long untilMs) {}

  /**
   * @param sessionTimeoutMs of the group, as it is now
   */
  public ConsumerSessions(IntSupplier sessionTimeoutMs) {
    this.sessionTimeoutMs = sessionTimeoutMs;
  }

  /** Lets the clocks run for all members, after a restart. */
  public void startAll(ConsumerGroup group, long nowMs) {
    for (ConsumerMember member : group.members()) {
      alive(member, nowMs);
    }
    follow(group, nowMs);
  }

  /** The member was heard of. */
  public void alive(ConsumerMember member, long nowMs) {
    silentUntilMs.put(member.id(), nowMs + timeoutMs(member));
  }

  private int timeoutMs(ConsumerMember member) {
    MemberMetadata.Classic classic = member.metadata().classic();
    return classic == null ? sessionTimeoutMs.getAsInt() : classic.sessionTimeoutMs();
  }

  /** A classic member was told to join again. */
  public void mustJoin(ConsumerMember member, long nowMs) {
    joinUntilMs.putIfAbsent(member.id(), nowMs + member.metadata().rebalanceTimeoutMs());
  }

  /** A classic member has joined, and has to fetch what it may use. */
  public void mustSync(ConsumerMember member, long nowMs) {
    joinUntilMs.remove(member.id());
    syncUntilMs.put(member.id(), nowMs + member.metadata().rebalanceTimeoutMs());
  }

  /** A classic member has fetched what it may use. */
  public void synced(String memberId) {
    syncUntilMs.remove(memberId);
  }

  /** The group has changed: clocks of those who left stop, those who must give up get one. */
  public void follow(ConsumerGroup group, long nowMs) {
    for (SortedMap<String, ?> clocks :
        List.of(silentUntilMs, revocations, joinUntilMs, syncUntilMs)) {
      clocks.keySet().removeIf(memberId -> group.member(memberId) == null);
    }
    for (ConsumerMember member : group.members()) {
      silentUntilMs.computeIfAbsent(member.id(), id -> nowMs + timeoutMs(member));
      if (member.progress().phase() != MemberPhase.UNREVOKED || member.isClassic()) {
        revocations.remove(member.id());
        continue;
      }
      Revocation known = revocations.get(member.id());
      if (known == null || known.epoch() != member.epoch()) {
        revocations.put(
            member.id(),
            new Revocation(member.epoch(), nowMs + member.metadata().rebalanceTimeoutMs()));
      }
    }
  }

  /** Members whose time is over. */
  public List<String> overdue(long nowMs) {
    List<String> overdue = new ArrayList<>();
    silentUntilMs.forEach(
        (memberId, untilMs) -> {
          Revocation revocation = revocations.get(memberId);
          long firstMs =
              Math.min(
                  Math.min(untilMs, revocation == null ? NEVER : revocation.untilMs()),
                  Math.min(
                      joinUntilMs.getOrDefault(memberId, NEVER),
                      syncUntilMs.getOrDefault(memberId, NEVER)));
          if (firstMs <= nowMs) {
            overdue.add(memberId);
          }
        });
    return overdue;
  }

  /** Long.MAX_VALUE if there is none. */
  public long nextDeadlineMs() {
    long next = NEVER;
    for (long untilMs : silentUntilMs.values()) {
      next = Math.min(next, untilMs);
    }
    for (Revocation revocation : revocations.values()) {
      next = Math.min(next, revocation.untilMs());
    }
    for (SortedMap<String, Long> clocks : List.of(joinUntilMs, syncUntilMs)) {
      for (long untilMs : clocks.values()) {
        next = Math.min(next, untilMs);
      }
    }
    return next;
  }

  /** Whether the topics are others than the group was compared with; remembers these. */
  public boolean sees(Object topicsVersion) {
    boolean isNew = seenTopics != topicsVersion;
    seenTopics = topicsVersion;
    return isNew;
  }

  /** What was decided did not come about: compare again. */
  public void forgetTopics() {
    seenTopics = null;
  }
}
