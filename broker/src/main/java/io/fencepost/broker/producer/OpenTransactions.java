package io.fencepost.broker.producer;

import io.fencepost.broker.testing.Rule;
import java.util.Map;
import java.util.TreeMap;

/**
 * The transactions of one partition whose end is not settled, by first offset; answers the last
 * stable offset.
 *
 * <p>A transaction stays here until its marker is below the high watermark: before that a crash or
 * a change of leader could still take the marker away. LSO = min(first offset of the oldest one,
 * high watermark).
 */
final class OpenTransactions {
  private static final long UNDECIDED = Long.MAX_VALUE;

  /** First offset to offset of the marker, or {@link #UNDECIDED}. */
  private final TreeMap<Long, Long> markerByFirstOffset = new TreeMap<>();

  /** The other way round, for those that have a marker. */
  private final TreeMap<Long, Long> firstOffsetByMarker = new TreeMap<>();

  void begin(long firstOffset) {
    markerByFirstOffset.put(firstOffset, UNDECIDED);
  }

  void decide(long firstOffset, long markerOffset) {
    markerByFirstOffset.put(firstOffset, markerOffset);
    firstOffsetByMarker.put(markerOffset, firstOffset);
  }

  /** Forgets the transactions whose markers can no longer be lost. */
  void settle(long highWatermark) {
    while (!firstOffsetByMarker.isEmpty() && firstOffsetByMarker.firstKey() < highWatermark) {
      markerByFirstOffset.remove(firstOffsetByMarker.pollFirstEntry().getValue());
    }
  }

  long lastStableOffset(long highWatermark) {
    if (!Rule.OPEN_UNTIL_MARKER_IS_SAFE.holds()) {
      return Math.min(firstUndecidedExcept(UNDECIDED, highWatermark), highWatermark);
    }
    return markerByFirstOffset.isEmpty()
        ? highWatermark
        : Math.min(markerByFirstOffset.firstKey(), highWatermark);
  }

  /** First offset of the oldest transaction without a marker but this one, or another value. */
  long firstUndecidedExcept(long firstOffset, long otherwise) {
    for (Map.Entry<Long, Long> entry : markerByFirstOffset.entrySet()) {
      if (entry.getValue() == UNDECIDED && entry.getKey() != firstOffset) {
        return entry.getKey();
      }
    }
    return otherwise;
  }

  /** How many wait for a marker. */
  int undecidedCount() {
    return markerByFirstOffset.size() - firstOffsetByMarker.size();
  }
}
