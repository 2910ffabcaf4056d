/**
 * Proves a job: which faults are tried at which steps that the job really passes, what a run under
 * a plan came to, and the summary of all runs.
 */
@NullMarked
package io.fencepost.testkit.prove;

import org.jspecify.annotations.NullMarked;
