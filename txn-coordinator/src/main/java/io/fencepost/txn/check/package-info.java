/**
 * Coordinators checked offline: rows against logs, open transactions against those who own them.
 */
@NullMarked
package io.fencepost.txn.check;

import org.jspecify.annotations.NullMarked;
