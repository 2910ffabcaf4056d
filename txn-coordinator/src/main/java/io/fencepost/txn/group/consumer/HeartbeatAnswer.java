package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * What a member is told.
 *
 * @param message for the person who reads the client's log; null if all is well
 * @param assignment what the member may use; null if that has not changed
 */
public record HeartbeatAnswer(
    WireError error,
    @Nullable String message,
    @Nullable String memberId,
    int memberEpoch,
    @Nullable PartitionSet assignment) {
  public static HeartbeatAnswer refused(WireError error, String message) {
    return new HeartbeatAnswer(error, message, null, 0, null);
  }
}
