/** The library's operators with state, written as processors like the user's own. */
@NullMarked
package io.fencepost.streams.operators;

import org.jspecify.annotations.NullMarked;
