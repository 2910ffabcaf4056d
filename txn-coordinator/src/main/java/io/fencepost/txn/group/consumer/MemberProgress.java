package io.fencepost.txn.group.consumer;

/**
 * Where a member stands: its epoch and what it may work on.
 *
 * @param epoch the member's, {@link #STATIC_LEFT} while a static member is away
 * @param previousEpoch the one before; a member that missed an answer comes with it
 * @param assigned what the member may use
 * @param revoking what it must give up before it may go on
 */
public record MemberProgress(
    int epoch,
    int previousEpoch,
    MemberPhase phase,
    OwnedPartitions assigned,
    OwnedPartitions revoking) {
  /** The epoch by which a static member says that it will be back. */
  public static final int STATIC_LEFT = -2;

  /** Of a member that has just come. */
  static final MemberProgress NEW =
      new MemberProgress(0, 0, MemberPhase.STABLE, OwnedPartitions.NONE, OwnedPartitions.NONE);

  /** What the member has: all that it may use, and all that it has not given up yet. */
  public PartitionSet held() {
    return assigned.plus(revoking).partitions();
  }

  boolean isReconciledTo(int targetEpoch) {
    return phase == MemberPhase.STABLE && epoch == targetEpoch;
  }

  MemberProgress at(
      int nextEpoch, MemberPhase next, OwnedPartitions nowAssigned, OwnedPartitions nowRevoking) {
    int before = nextEpoch == epoch ? previousEpoch : epoch;
    return new MemberProgress(nextEpoch, before, next, nowAssigned, nowRevoking);
  }
}
