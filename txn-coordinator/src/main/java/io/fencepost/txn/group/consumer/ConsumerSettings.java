package io.fencepost.txn.group.consumer;

import java.util.List;
import java.util.function.Function;

/**
 * What a broker allows and asks of its groups of the newer protocol.
 *
 * @param maxSize members in one group at most (group.consumer.max.size)
 * @param assignors the first one is taken where no member wishes (group.consumer.assignors)
 * @param migration which way groups may change their protocol while they have members
 * @param times those of a group, by its id, as they are now
 */
public record ConsumerSettings(
    int maxSize,
    List<String> assignors,
    MigrationPolicy migration,
    Function<String, GroupTimes> times) {

  public GroupTimes timesOf(String groupId) {
    return times.apply(groupId);
  }

  /** Values of group.consumer.migration.policy. */
  public enum MigrationPolicy {
    DISABLED,
    UPGRADE,
    DOWNGRADE,
    BIDIRECTIONAL;

    public boolean allowsUpgrade() {
      return this == UPGRADE || this == BIDIRECTIONAL;
    }

    public boolean allowsDowngrade() {
      return this == DOWNGRADE || this == BIDIRECTIONAL;
    }
  }
}
