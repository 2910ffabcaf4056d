package io.fencepost.broker.producer;

/**
 * The end of a transaction in one partition, as it stands in a control batch. From transaction
 * version 2 on the epoch is the one after the transaction's own (KIP-890).
 */
public record Marker(long producerId, short producerEpoch, boolean commit, int coordinatorEpoch) {}
