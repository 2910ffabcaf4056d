package io.fencepost.txn.main;

import io.fencepost.broker.cluster.TopicNames;

/**
 * What a coordinator is responsible for.
 *
 * @param topic the internal topic whose partitions decide who coordinates
 * @param key a group id or a transactional id
 */
public record CoordinatorKey(String topic, String key) {

  /** A consumer group. */
  public static CoordinatorKey group(String groupId) {
    return new CoordinatorKey(TopicNames.OFFSETS, groupId);
  }

  /** A transactional id. */
  public static CoordinatorKey transaction(String transactionalId) {
    return new CoordinatorKey(TopicNames.TRANSACTIONS, transactionalId);
  }
}
