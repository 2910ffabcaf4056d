package io.fencepost.txn.shard;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A committed record of an internal partition, with what its batch says about it.
 *
 * @param value null for a tombstone
 * @param producerId of the batch, or -1
 * @param transactional whether a marker decides if the record counts
 */
public record LoggedRecord(
    long offset,
    long timestampMs,
    @Nullable ByteBuffer key,
    @Nullable ByteBuffer value,
    long producerId,
    short producerEpoch,
    boolean transactional) {}
