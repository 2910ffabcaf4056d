package io.fencepost.txn.shard;

/**
 * Which internal partition, and so which broker, is responsible for a transactional id or group.
 */
public final class ShardMap {
  private ShardMap() {}

  /** The partition of the key, by the hash that Kafka uses and tools rely on. */
  public static int partitionFor(String key, int partitionCount) {
    return (key.hashCode() & Integer.MAX_VALUE) % partitionCount;
  }
}
