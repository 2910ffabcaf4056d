/** The fencepost command line: one class per command, what they print, and their exit codes. */
@NullMarked
package io.fencepost.samples.cli;

import org.jspecify.annotations.NullMarked;
