package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.group.consumer.ConsumerCodec;
import io.fencepost.txn.group.consumer.ConsumerGroup;
import io.fencepost.txn.group.consumer.Draft;
import io.fencepost.txn.shard.NewRecord;
import java.util.List;

/**
 * How groups of the newer protocol end. Part of {@link OffsetRemovals}; runs with the group's key.
 */
final class ConsumerRemovals {
  private ConsumerRemovals() {}

  /** Ends a group without members; says why not otherwise. */
  static WireError end(GroupShard shard, ConsumerGroup group, List<NewRecord> records) {
    if (!group.members().isEmpty()) {
      return WireError.NON_EMPTY_GROUP;
    }
    Draft draft = new Draft(group);
    draft.end();
    draft.changes().forEach(change -> records.add(ConsumerCodec.record(group.id(), change)));
    shard.consumers().note(draft.group());
    shard.forgetConsumers(group.id());
    return WireError.NONE;
  }

  /** Whether nothing is left of the group but its epoch. */
  static boolean isOver(GroupShard shard, String groupId) {
    ConsumerGroup group = shard.consumers().current(groupId);
    return group != null
        && group.members().isEmpty()
        && !shard.offsets().knowsGroup(groupId)
        && !shard.isCommitting(groupId);
  }
}
