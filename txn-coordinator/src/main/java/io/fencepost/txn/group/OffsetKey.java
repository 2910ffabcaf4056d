package io.fencepost.txn.group;

import io.fencepost.broker.wire.TopicPartition;
import java.util.Comparator;

/** Whose progress in which partition. Ordered by group, then by partition. */
public record OffsetKey(String group, TopicPartition partition) implements Comparable<OffsetKey> {
  private static final Comparator<OffsetKey> ORDER =
      Comparator.comparing(OffsetKey::group).thenComparing(OffsetKey::partition);

  @Override
  public int compareTo(OffsetKey other) {
    return ORDER.compare(this, other);
  }
}
