package io.fencepost.txn.shard;

import io.fencepost.broker.wire.WireError;

/** What a client of a coordinator is told when the internal partition refused a write. */
final class AppendErrors {
  private AppendErrors() {}

  static WireError toCoordinator(WireError error) {
    return switch (error) {
      case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC_OR_PARTITION ->
          WireError.NOT_COORDINATOR;
      case NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT ->
          WireError.COORDINATOR_NOT_AVAILABLE;
      case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE -> WireError.UNKNOWN_SERVER_ERROR;
      default -> error;
    };
  }
}
