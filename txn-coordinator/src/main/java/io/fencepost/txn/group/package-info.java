/**
 * Consumer groups and their offsets, as machines without a thread, a clock or a socket: commands
 * and moments in, answers and records out.
 */
@NullMarked
package io.fencepost.txn.group;

import org.jspecify.annotations.NullMarked;
