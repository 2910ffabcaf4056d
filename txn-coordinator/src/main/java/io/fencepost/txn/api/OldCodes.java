package io.fencepost.txn.api;

import io.fencepost.broker.wire.WireError;

/** Errors that clients of an older API version do not know, in words that they do. */
final class OldCodes {
  private OldCodes() {}

  /** PRODUCER_FENCED came with this version; before it, INVALID_PRODUCER_EPOCH said the same. */
  static WireError fencedSince(int firstVersion, int apiVersion, WireError error) {
    return error == WireError.PRODUCER_FENCED && apiVersion < firstVersion
        ? WireError.INVALID_PRODUCER_EPOCH
        : error;
  }
}
