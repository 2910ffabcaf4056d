package io.fencepost.broker.replica;

import io.fencepost.broker.wire.WireError;

/** An offset found by ListOffsets; -1 for offset and timestamp means that there is none. */
public record OffsetAnswer(WireError error, long timestamp, long offset, int leaderEpoch) {
  /** Nothing matches: not an error. */
  static final OffsetAnswer NOTHING = new OffsetAnswer(WireError.NONE, -1, -1, -1);

  static OffsetAnswer refused(WireError error) {
    return new OffsetAnswer(error, -1, -1, -1);
  }
}
