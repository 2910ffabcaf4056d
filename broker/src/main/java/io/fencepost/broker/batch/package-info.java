/** Record batches in format 2, the same bytes on the wire and on disk. */
@NullMarked
package io.fencepost.broker.batch;

import org.jspecify.annotations.NullMarked;
