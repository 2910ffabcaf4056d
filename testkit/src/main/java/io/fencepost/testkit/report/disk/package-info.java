/** Writes reports to files. */
@NullMarked
package io.fencepost.testkit.report.disk;

import org.jspecify.annotations.NullMarked;
