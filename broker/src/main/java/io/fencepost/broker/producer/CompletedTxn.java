package io.fencepost.broker.producer;

/** A transaction that a marker ended: data from the first offset on, marker at the last. */
public record CompletedTxn(
    long producerId, long firstOffset, long markerOffset, boolean isCommitted) {}
