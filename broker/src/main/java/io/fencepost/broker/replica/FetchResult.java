package io.fencepost.broker.replica;

import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one partition gives to a fetch.
 *
 * @param visibleEnd end of what the isolation may see, exclusive; a reader waits for it to move
 * @param hasMore there are visible records behind these
 * @param aborted the aborted transactions that overlap the records, by first offset; null unless
 *     reading committed
 */
public record FetchResult(
    WireError error,
    long highWatermark,
    long lastStableOffset,
    long logStartOffset,
    long visibleEnd,
    boolean hasMore,
    Bytes records,
    @Nullable List<AbortedTxn> aborted) {

  /** Nothing but an error. */
  public static FetchResult refused(WireError error) {
    return new FetchResult(error, -1, -1, -1, -1, false, Bytes.EMPTY, null);
  }
}
