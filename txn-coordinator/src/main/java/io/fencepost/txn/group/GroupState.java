package io.fencepost.txn.group;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Where a classic consumer group stands.
 *
 * <table>
 * <caption>Moves of a group; an event that is not listed leaves the state alone</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>Empty</td><td>a member joins</td><td>PreparingRebalance</td></tr>
 * <tr><td>Empty</td><td>the group is deleted or its last offset expired</td><td>Dead</td></tr>
 * <tr><td>PreparingRebalance</td><td>everybody joined, or the rebalance timeout passed and somebody
 *     did</td><td>CompletingRebalance</td></tr>
 * <tr><td>PreparingRebalance</td><td>the last member left or timed out</td><td>Empty</td></tr>
 * <tr><td>CompletingRebalance</td><td>the leader's assignment is durable</td><td>Stable</td></tr>
 * <tr><td>CompletingRebalance</td><td>a member joins, leaves, times out, changes its protocols, or
 *     is late with its SyncGroup; the assignment could not be logged</td>
 *     <td>PreparingRebalance</td></tr>
 * <tr><td>Stable</td><td>a member joins, leaves, times out, changes its protocols, or is late with
 *     its SyncGroup; the leader joins again</td><td>PreparingRebalance</td></tr>
 * <tr><td>any</td><td>the shard moves away</td><td>Dead</td></tr>
 * </table>
 */
public enum GroupState {
  EMPTY("Empty"),
  PREPARING_REBALANCE("PreparingRebalance"),
  COMPLETING_REBALANCE("CompletingRebalance"),
  STABLE("Stable"),
  DEAD("Dead");

  private static final Map<GroupState, Set<GroupState>> PREDECESSORS =
      new EnumMap<>(GroupState.class);

  static {
    PREDECESSORS.put(EMPTY, EnumSet.of(PREPARING_REBALANCE));
    PREDECESSORS.put(PREPARING_REBALANCE, EnumSet.of(EMPTY, COMPLETING_REBALANCE, STABLE));
    PREDECESSORS.put(COMPLETING_REBALANCE, EnumSet.of(PREPARING_REBALANCE));
    PREDECESSORS.put(STABLE, EnumSet.of(COMPLETING_REBALANCE));
    PREDECESSORS.put(DEAD, EnumSet.allOf(GroupState.class));
  }

  private final String protocolName;

  GroupState(String protocolName) {
    this.protocolName = protocolName;
  }

  /** The name in DescribeGroups and ListGroups. */
  public String protocolName() {
    return protocolName;
  }

  /** Whether a group in the given state may move to this one. */
  public boolean mayFollow(GroupState predecessor) {
    return PREDECESSORS.getOrDefault(this, EnumSet.noneOf(GroupState.class)).contains(predecessor);
  }
}
