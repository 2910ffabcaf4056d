/** The log of one partition: segments, their indexes, recovery, retention and truncation. */
@NullMarked
package io.fencepost.broker.log;

import org.jspecify.annotations.NullMarked;
