/** Threads and files of a running job. */
@NullMarked
package io.fencepost.streams.main;

import org.jspecify.annotations.NullMarked;
