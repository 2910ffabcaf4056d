package io.fencepost.broker.replica;

import io.fencepost.broker.log.EpochEnd;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a leader gives to a follower.
 *
 * @param diverging set if the follower has what the leader has not: the greatest epoch, at most the
 *     one asked about, that the leader knows, and where that ended
 */
record FollowerAnswer(
    WireError error,
    @Nullable EpochEnd diverging,
    long highWatermark,
    long logStart,
    ByteBuffer records) {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  static FollowerAnswer refused(WireError error) {
    return new FollowerAnswer(error, null, -1, -1, NOTHING);
  }

  static FollowerAnswer parted(EpochEnd diverging, long highWatermark, long logStart) {
    return new FollowerAnswer(WireError.NONE, diverging, highWatermark, logStart, NOTHING);
  }

  static FollowerAnswer of(long highWatermark, long logStart, ByteBuffer records) {
    return new FollowerAnswer(WireError.NONE, null, highWatermark, logStart, records);
  }
}
