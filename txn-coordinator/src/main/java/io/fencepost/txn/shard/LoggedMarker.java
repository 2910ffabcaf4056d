package io.fencepost.txn.shard;

/** A committed marker in an internal partition: ends what the producer wrote there. */
public record LoggedMarker(long offset, long producerId, short producerEpoch, boolean commit) {}
