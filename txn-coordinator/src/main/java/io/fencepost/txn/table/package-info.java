/**
 * The coordinators' state as ordered rows: the port, and the version of it that lives in memory.
 */
@NullMarked
package io.fencepost.txn.table;

import org.jspecify.annotations.NullMarked;
