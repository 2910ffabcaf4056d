package io.fencepost.broker.wire;

import java.util.Comparator;

/** One partition of a topic; ordered by topic, then number. */
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {
  private static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  @Override
  public int compareTo(TopicPartition other) {
    return ORDER.compare(this, other);
  }

  /** The name that logs and directories use. */
  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
