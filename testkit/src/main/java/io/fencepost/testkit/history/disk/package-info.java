/** Histories as JSON lines: what a run writes down while it goes on, and tools read later. */
@NullMarked
package io.fencepost.testkit.history.disk;

import org.jspecify.annotations.NullMarked;
