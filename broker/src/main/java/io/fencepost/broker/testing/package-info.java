/** Where tests reach into a running broker. Off, and of no cost, everywhere else. */
@NullMarked
package io.fencepost.broker.testing;

import org.jspecify.annotations.NullMarked;
