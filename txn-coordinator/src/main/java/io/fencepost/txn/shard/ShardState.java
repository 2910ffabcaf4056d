package io.fencepost.txn.shard;

import io.fencepost.txn.table.ShardTables;

/**
 * A shard with its rows, as it goes from one holder to the next.
 *
 * @param isLoaded whether memory is as the rows say, so that {@link Shard#load} is not needed
 * @param <S> the shard
 */
record ShardState<S extends Shard>(ShardTables tables, S shard, boolean isLoaded) {}
