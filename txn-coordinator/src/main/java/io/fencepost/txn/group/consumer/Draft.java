package io.fencepost.txn.group.consumer;

import io.fencepost.broker.port.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A group as it will be, and the changes that lead there. Each change is seen at once. */
public final class Draft {
  private final ConsumerGroup from;
  private ConsumerGroup group;
  private final List<ConsumerChange> changes = new ArrayList<>();

  /** Starts from the group, which stays as it is. */
  public Draft(ConsumerGroup from) {
    this.from = from;
    this.group = from;
  }

  /** The group with all changes so far; another object after the first change. */
  public ConsumerGroup group() {
    return group;
  }

  /** Whether members of the newer protocol were there, and none is left. */
  public boolean lostItsLast() {
    return !from.members().stream().allMatch(ConsumerMember::isClassic)
        && group.members().stream().allMatch(ConsumerMember::isClassic);
  }

  /** In order. */
  public List<ConsumerChange> changes() {
    return changes;
  }

  /** A group that comes from the classic protocol begins at its generation. */
  public void begin(int epoch) {
    epoch(epoch, 0);
    targetsMade(epoch, 0);
  }

  /**
   * A member of such a group, with what it has. Classic members may have shared partitions out
   * twice; the first one keeps them.
   */
  public void adopt(String memberId, MemberMetadata metadata, PartitionSet has) {
    PartitionSet.Builder target = new PartitionSet.Builder();
    OwnedPartitions.Builder assigned = new OwnedPartitions.Builder();
    has.forEach(
        (topicId, partition) -> {
          if (group.holder(topicId, partition) == null) {
            target.add(topicId, partition);
            assigned.add(topicId, partition, group.epoch());
          }
        });
    metadata(memberId, metadata);
    target(memberId, target.build());
    progress(
        memberId,
        new MemberProgress(
            group.epoch(),
            group.epoch(),
            MemberPhase.STABLE,
            assigned.build(),
            OwnedPartitions.NONE));
  }

  void epoch(int epoch, long topicsHash) {
    Invariant.check(
        epoch >= group.epoch(),
        "epoch of group %s goes back from %s to %s",
        group.id(),
        group.epoch(),
        epoch);
    change(new ConsumerChange.Group(new ConsumerChange.Epoch(epoch, topicsHash)));
  }

  void metadata(String memberId, MemberMetadata metadata) {
    change(new ConsumerChange.Member(memberId, metadata));
  }

  void target(String memberId, PartitionSet partitions) {
    change(new ConsumerChange.Target(memberId, partitions));
  }

  void targetsMade(int epoch, long madeMs) {
    Invariant.check(
        epoch <= group.epoch(),
        "targets of group %s are made for epoch %s, which comes after %s",
        group.id(),
        epoch,
        group.epoch());
    change(new ConsumerChange.TargetsMade(new ConsumerChange.Targets(epoch, madeMs)));
  }

  void pattern(String regex, ConsumerChange.@Nullable Matches matches) {
    change(new ConsumerChange.Pattern(regex, matches));
  }

  void progress(String memberId, MemberProgress progress) {
    progress
        .assigned()
        .plus(progress.revoking())
        .forEach(
            (topicId, partition, since) -> {
              String holder = group.holder(topicId, partition);
              Invariant.check(
                  holder == null || holder.equals(memberId),
                  "group %s: %s would get partition %s of topic %s from under %s",
                  group.id(),
                  memberId,
                  partition,
                  topicId,
                  holder);
            });
    change(new ConsumerChange.Progress(memberId, progress));
  }

  /** The order lets a reader that stops in between see a member without partitions. */
  void remove(String memberId) {
    change(new ConsumerChange.Progress(memberId, null));
    change(new ConsumerChange.Target(memberId, null));
    change(new ConsumerChange.Member(memberId, null));
  }

  /** Ends the group with all that it has. */
  public void end() {
    List<String> memberIds = new ArrayList<>();
    group.members().forEach(member -> memberIds.add(member.id()));
    memberIds.forEach(memberId -> change(new ConsumerChange.Progress(memberId, null)));
    memberIds.forEach(memberId -> change(new ConsumerChange.Target(memberId, null)));
    change(new ConsumerChange.TargetsMade(null));
    memberIds.forEach(memberId -> change(new ConsumerChange.Member(memberId, null)));
    for (String regex : new ArrayList<>(group.patterns().keySet())) {
      change(new ConsumerChange.Pattern(regex, null));
    }
    change(new ConsumerChange.Group(null));
  }

  private void change(ConsumerChange change) {
    if (changes.isEmpty()) {
      group = group.copy();
    }
    changes.add(change);
    group.apply(change);
  }
}
