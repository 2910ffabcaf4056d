package io.fencepost.broker.replica;

import io.fencepost.broker.producer.Marker;

/**
 * A coordinator's wish to end a transaction in this partition. From transaction version 2 on the
 * epoch is the one after the transaction's own.
 */
public record MarkerRequest(
    long producerId,
    short producerEpoch,
    boolean commit,
    int coordinatorEpoch,
    int transactionVersion) {

  Marker marker() {
    return new Marker(producerId, producerEpoch, commit, coordinatorEpoch);
  }
}
