package io.fencepost.txn.shard;

import io.fencepost.broker.wire.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Finds the internal partitions of this broker. Thread-safe. */
public interface ShardLogs {
  /** How many partitions the topic has; 0 if it does not exist yet. */
  int partitionCount(String topic);

  /**
   * The partition, or null if this broker does not lead it; the same object as long as the term
   * lasts, and another one in the next term.
   */
  @Nullable ShardLog find(TopicPartition topicPartition);

  /**
   * The partition, whoever leads it, or null if this broker keeps no copy of it; the same object as
   * long as the copy lives.
   */
  @Nullable CommittedLog copy(TopicPartition topicPartition);
}
