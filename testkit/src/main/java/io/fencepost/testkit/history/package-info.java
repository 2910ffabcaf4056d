/** What happened in a run, and the checks of what must have held; pure. */
@NullMarked
package io.fencepost.testkit.history;

import org.jspecify.annotations.NullMarked;
