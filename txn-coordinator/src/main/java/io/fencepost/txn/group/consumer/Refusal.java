package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.WireError;

/** Why a member is not let in or on, with a sentence for its log. */
public record Refusal(WireError error, String message) {}
