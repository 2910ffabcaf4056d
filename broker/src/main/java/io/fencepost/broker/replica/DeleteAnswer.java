package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;

/** The log start after DeleteRecords, or -1 and an error. */
public record DeleteAnswer(WireError error, long logStartOffset) {}
