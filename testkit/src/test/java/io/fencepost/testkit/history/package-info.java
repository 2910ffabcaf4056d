/** Histories that break an invariant, and the checks that must say so. */
@NullMarked
package io.fencepost.testkit.history;

import org.jspecify.annotations.NullMarked;
