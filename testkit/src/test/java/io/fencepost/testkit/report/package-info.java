/** What reports say and show. */
@NullMarked
package io.fencepost.testkit.report;

import org.jspecify.annotations.NullMarked;
