/** Groups of the newer protocol (KIP-848): the pure machine, its records, and the assignors. */
@NullMarked
package io.fencepost.txn.group.consumer;

import org.jspecify.annotations.NullMarked;
