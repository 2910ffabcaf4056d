/**
 * A coordinator's share of the keys: state that changes only by replay of an internal partition.
 */
@NullMarked
package io.fencepost.txn.shard;

import org.jspecify.annotations.NullMarked;
