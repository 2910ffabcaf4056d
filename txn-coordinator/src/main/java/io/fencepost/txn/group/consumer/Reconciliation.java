package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings one member a step nearer to its target, as far as the other members let it. A function of
 * the group: it gives up before it gets, and never gets what somebody holds. Moves: {@link
 * MemberPhase}.
 */
final class Reconciliation {
  private final ConsumerGroup group;
  private final TopicsView topics;

  Reconciliation(ConsumerGroup group, TopicsView topics) {
    this.group = group;
    this.topics = topics;
  }

  /**
   * @param owned what the member says it has; null if it did not say
   * @return the member's next progress, equal to the present one if it has to wait
   */
  MemberProgress next(ConsumerMember member, @Nullable PartitionSet owned) {
    MemberProgress now = member.progress();
    SortedSet<Uuid> subscribed = subscribed(member);
    if (now.phase() == MemberPhase.UNREVOKED && stillHas(owned, now.revoking())) {
      return withdraw(now, owned, subscribed);
    }
    if (now.isReconciledTo(group.targetEpoch())) {
      return withdraw(now, owned, subscribed);
    }
    return towardsTarget(member, owned, subscribed);
  }

  private SortedSet<Uuid> subscribed(ConsumerMember member) {
    SortedSet<Uuid> ids = new TreeSet<>();
    for (String name : group.topicsOf(member.metadata())) {
      Uuid topicId = topics.idOf(name);
      if (topicId != null) {
        ids.add(topicId);
      }
    }
    return ids;
  }

  /** A member that does not say what it has may have everything. */
  private static boolean stillHas(@Nullable PartitionSet owned, OwnedPartitions revoked) {
    boolean[] has = {owned == null && !revoked.isEmpty()};
    if (owned != null) {
      revoked.forEach((topicId, partition, since) -> has[0] |= owned.contains(topicId, partition));
    }
    return has[0];
  }

  /** What it does not subscribe to any more it gives up at once, whatever the targets say. */
  private static MemberProgress withdraw(
      MemberProgress now, @Nullable PartitionSet owned, SortedSet<Uuid> subscribed) {
    OwnedPartitions kept = now.assigned().where((topicId, p) -> subscribed.contains(topicId));
    if (kept.equals(now.assigned())) {
      return now;
    }
    OwnedPartitions lost =
        now.revoking().plus(now.assigned().where((topicId, p) -> !subscribed.contains(topicId)));
    return stillHas(owned, lost)
        ? now.at(now.epoch(), MemberPhase.UNREVOKED, kept, lost)
        : now.at(now.epoch(), now.phase(), kept, OwnedPartitions.NONE);
  }

  private MemberProgress towardsTarget(
      ConsumerMember member, @Nullable PartitionSet owned, SortedSet<Uuid> subscribed) {
    MemberProgress now = member.progress();
    PartitionSet target = group.target(member.id());
    OwnedPartitions kept =
        now.assigned()
            .where((topicId, p) -> subscribed.contains(topicId) && target.contains(topicId, p));
    OwnedPartitions lost = now.assigned().where((topicId, p) -> !kept.contains(topicId, p));
    if (stillHas(owned, lost)) {
      return now.at(now.epoch(), MemberPhase.UNREVOKED, kept, lost);
    }
    OwnedPartitions.Builder gained = new OwnedPartitions.Builder();
    boolean[] waits = {false};
    target.forEach(
        (topicId, partition) -> {
          if (!subscribed.contains(topicId) || kept.contains(topicId, partition)) {
            return;
          }
          String holder = group.holder(topicId, partition);
          // What the member has just given up is still in its own name.
          boolean isFree = holder == null || holder.equals(member.id());
          if (isFree) {
            gained.add(topicId, partition, group.targetEpoch());
          } else {
            waits[0] = true;
          }
        });
    return now.at(
        group.targetEpoch(),
        waits[0] ? MemberPhase.UNRELEASED : MemberPhase.STABLE,
        kept.plus(gained.build()),
        OwnedPartitions.NONE);
  }
}
