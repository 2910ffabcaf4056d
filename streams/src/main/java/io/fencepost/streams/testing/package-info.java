/** Where tests reach into a running job. Off, and of no cost, everywhere else. */
@NullMarked
package io.fencepost.streams.testing;

import org.jspecify.annotations.NullMarked;
