/**
 * The pure engine of a job: partitions as tasks, the transaction cycle, and what each error means.
 */
@NullMarked
package io.fencepost.streams.task;

import org.jspecify.annotations.NullMarked;
