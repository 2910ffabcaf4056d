/** The APIs of the transaction coordinator, one file for each. */
@NullMarked
package io.fencepost.txn.api;

import org.jspecify.annotations.NullMarked;
