package io.fencepost.txn.coordinator;

import io.fencepost.broker.replica.MarkerRequest;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.util.function.Consumer;

/** Writes a marker to the leader of a partition. */
@FunctionalInterface
public interface MarkerTarget {
  /**
   * Answers once, from any thread, possibly inside the call: NONE when the marker is committed,
   * UNKNOWN_TOPIC_OR_PARTITION only if the partition does not exist any more.
   */
  void write(TopicPartition partition, MarkerRequest marker, Consumer<WireError> answer);
}
