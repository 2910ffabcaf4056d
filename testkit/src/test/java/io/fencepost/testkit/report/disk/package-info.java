/** Reports as files, opened by a browser. */
@NullMarked
package io.fencepost.testkit.report.disk;

import org.jspecify.annotations.NullMarked;
