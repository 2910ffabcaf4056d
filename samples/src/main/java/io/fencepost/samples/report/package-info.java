/** Results as tables for people and as JSON for programs. */
@NullMarked
package io.fencepost.samples.report;

import org.jspecify.annotations.NullMarked;
