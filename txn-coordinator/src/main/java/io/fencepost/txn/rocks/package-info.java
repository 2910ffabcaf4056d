/** The coordinators' rows in RocksDB. */
@NullMarked
package io.fencepost.txn.rocks;

import org.jspecify.annotations.NullMarked;
