/**
 * What a user writes: a read-process-write job, its operators, its configuration and its handle.
 */
@NullMarked
package io.fencepost.streams;

import org.jspecify.annotations.NullMarked;
