package io.fencepost.txn.group.consumer;

import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * One change of a group, as one record of the log says it. Null in place of a content means that it
 * goes away.
 */
public sealed interface ConsumerChange {
  /** The group's epoch, and a hash of the topics that it was made for; null ends the group. */
  record Group(@Nullable Epoch epoch) implements ConsumerChange {}

  /** The epoch of a group. */
  record Epoch(int number, long topicsHash) {}

  /** What a member says about itself. */
  record Member(String memberId, @Nullable MemberMetadata metadata) implements ConsumerChange {}

  /** All targets were made anew. */
  record TargetsMade(@Nullable Targets targets) implements ConsumerChange {}

  /** The epoch that all targets belong to, and the wall time at which they were made. */
  record Targets(int epoch, long madeMs) {}

  /** What a member shall have. */
  record Target(String memberId, @Nullable PartitionSet partitions) implements ConsumerChange {}

  /** How far a member is. */
  record Progress(String memberId, @Nullable MemberProgress progress) implements ConsumerChange {}

  /** The topics that a pattern matches. */
  record Pattern(String regex, @Nullable Matches matches) implements ConsumerChange {}

  /** Topics by name, as of a version of the cluster's topics. */
  record Matches(SortedSet<String> topics, long version, long atMs) {}
}
