/**
 * A replica of a partition: its log, producers, waits, and the one lock around them; and what
 * leaders and followers have to do with each other.
 */
@NullMarked
package io.fencepost.broker.replica;

import org.jspecify.annotations.NullMarked;
