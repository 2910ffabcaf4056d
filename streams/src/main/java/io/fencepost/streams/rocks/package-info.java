/** Keyed state in RocksDB, one database per task. */
@NullMarked
package io.fencepost.streams.rocks;

import org.jspecify.annotations.NullMarked;
