package io.fencepost.broker.replica;

/**
 * One producer as DescribeProducers shows it. Values that do not exist are -1.
 *
 * @param openFirstOffset of the open transaction
 */
public record ActiveProducer(
    long producerId,
    short producerEpoch,
    int lastSequence,
    long lastSeenMs,
    int coordinatorEpoch,
    long openFirstOffset) {}
