package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/** A member's assignment, or why there is none. */
public record SyncResult(
    WireError error,
    @Nullable String protocolType,
    @Nullable String protocol,
    Assignment assignment) {
  public static SyncResult refused(WireError error) {
    return new SyncResult(error, null, null, Assignment.NONE);
  }
}
