package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;

/** Where an epoch ends: the greatest epoch that is not above the one asked for, or -1 and -1. */
public record EpochAnswer(WireError error, int leaderEpoch, long endOffset) {}
