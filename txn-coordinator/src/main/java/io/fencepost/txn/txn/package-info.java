/** The life of a transactional id as a pure machine: what each request does in each state. */
@NullMarked
package io.fencepost.txn.txn;

import org.jspecify.annotations.NullMarked;
