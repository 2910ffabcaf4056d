package io.fencepost.txn.group.consumer;

import java.util.List;

/**
 * What a broker allows and asks of its groups of the newer protocol.
 *
 * @param sessionTimeoutMs silence after which a member is out (group.consumer.session.timeout.ms)
 * @param heartbeatIntervalMs told to members (group.consumer.heartbeat.interval.ms)
 * @param maxSize members in one group at most (group.consumer.max.size)
 * @param assignors the first one is taken where no member wishes (group.consumer.assignors)
 * @param assignmentIntervalMs least time between two target assignments of a group
 *     (group.consumer.assignment.interval.ms)
 * @param migration which way groups may change their protocol while they have members
 */
public record ConsumerSettings(
    int sessionTimeoutMs,
    int heartbeatIntervalMs,
    int maxSize,
    List<String> assignors,
    int assignmentIntervalMs,
    MigrationPolicy migration) {

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
