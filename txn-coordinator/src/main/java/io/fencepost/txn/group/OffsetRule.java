package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import java.util.ArrayList;
import java.util.List;

/** What a fetch of offsets may see: with stability required, nothing that may still change. */
public final class OffsetRule {
  private final Offsets offsets;
  private final boolean requireStable;

  public OffsetRule(Offsets offsets, boolean requireStable) {
    this.offsets = offsets;
    this.requireStable = requireStable;
  }

  /** One partition. */
  public FetchedOffset one(String group, String topic, int partition) {
    OffsetKey key = new OffsetKey(group, new TopicPartition(topic, partition));
    return requireStable && offsets.isStaged(key)
        ? FetchedOffset.unstable(key.partition())
        : FetchedOffset.of(key.partition(), offsets.committed(key));
  }

  /** All partitions with a committed offset. */
  public List<FetchedOffset> all(String group) {
    List<FetchedOffset> fetched = new ArrayList<>();
    offsets.forEachOf(
        group,
        (key, stored) ->
            fetched.add(
                requireStable && offsets.isStaged(key)
                    ? FetchedOffset.unstable(key.partition())
                    : FetchedOffset.of(key.partition(), stored)));
    return fetched;
  }
}
