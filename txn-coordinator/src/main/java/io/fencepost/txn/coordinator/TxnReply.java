package io.fencepost.txn.coordinator;

import io.fencepost.broker.wire.WireError;
import io.fencepost.txn.txn.TxnEntry;
import org.jspecify.annotations.Nullable;

/** How a request about a transactional id ended; called once, outside of all locks. */
@FunctionalInterface
public interface TxnReply {
  /** The entry is there if the error is NONE and the id is known. */
  void done(WireError error, @Nullable TxnEntry entry);
}
