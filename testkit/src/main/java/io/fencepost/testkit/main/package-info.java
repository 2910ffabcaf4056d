/** Servers of other makes that tests start as processes. */
@NullMarked
package io.fencepost.testkit.main;

import org.jspecify.annotations.NullMarked;
