/** The complete server: a broker with its coordinators. */
@NullMarked
package io.fencepost.txn.main;

import org.jspecify.annotations.NullMarked;
