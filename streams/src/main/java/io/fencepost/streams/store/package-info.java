/** Keyed state behind a small port, with the changelog position that belongs to it. */
@NullMarked
package io.fencepost.streams.store;

import org.jspecify.annotations.NullMarked;
