package io.fencepost.txn.shard;

import org.jspecify.annotations.Nullable;

/**
 * A record for an internal partition.
 *
 * @param value null for a tombstone
 */
public record NewRecord(byte[] key, byte @Nullable [] value) {}
