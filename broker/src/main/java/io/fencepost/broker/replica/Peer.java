package io.fencepost.broker.replica;

import org.jspecify.annotations.Nullable;

/**
 * What a broker offers to the others of its cluster.
 *
 * @param replicas its partitions: followers fetch from them, coordinators end transactions in them
 * @param transactions its transaction coordinator; null if it has none
 */
public record Peer(Replicas replicas, @Nullable TransactionGate transactions) {}
