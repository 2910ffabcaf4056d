package io.fencepost.txn.shard;

import io.fencepost.broker.wire.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Finds the internal partitions that this broker leads. */
public interface ShardLogs {
  /** How many partitions the topic has; 0 if it does not exist yet. */
  int partitionCount(String topic);

  /**
   * The partition, or null if this broker does not lead it; the same object as long as it lives.
   */
  @Nullable ShardLog find(TopicPartition topicPartition);
}
