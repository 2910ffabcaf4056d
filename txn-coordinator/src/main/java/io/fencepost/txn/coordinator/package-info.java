/** Transactions over shards: requests in, logged decisions, markers, timeouts. */
@NullMarked
package io.fencepost.txn.coordinator;

import org.jspecify.annotations.NullMarked;
