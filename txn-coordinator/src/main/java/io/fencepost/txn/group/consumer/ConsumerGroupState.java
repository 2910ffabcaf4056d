package io.fencepost.txn.group.consumer;

/** What a group is doing; follows from its epochs and members, and is never stored. */
public enum ConsumerGroupState {
  /** No members. */
  EMPTY("Empty"),
  /** The targets belong to an older epoch than the group's. */
  ASSIGNING("Assigning"),
  /** Some member has not reached its target. */
  RECONCILING("Reconciling"),
  STABLE("Stable");

  private final String protocolName;

  ConsumerGroupState(String protocolName) {
    this.protocolName = protocolName;
  }

  /** The name in ConsumerGroupDescribe and ListGroups. */
  public String protocolName() {
    return protocolName;
  }
}
