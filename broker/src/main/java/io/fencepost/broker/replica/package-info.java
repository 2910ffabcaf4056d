/** One replica of a partition: its log, producers, waits, and the one lock around them. */
@NullMarked
package io.fencepost.broker.replica;

import org.jspecify.annotations.NullMarked;
