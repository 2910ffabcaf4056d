package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import java.util.Arrays;

/**
 * The batches that tell what the live producers wrote last: compaction keeps them, else a start
 * without a snapshot would forget those producers. Arrays, as there may be a million producers.
 */
public final class LastBatches {
  /** Last offsets of last batches, ascending. */
  private final long[] offsets;

  /** Producers of whom only markers are known in their epoch, ascending. */
  private final long[] markerProducers;

  private final short[] markerEpochs;

  /** The last marker that was met of each; -1 before. */
  private final long[] lastMarkers;

  /**
   * @param offsets the last offset of each producer's last batch; is sorted
   * @param markerProducers ids of those that have no batch in their epoch, ascending
   * @param markerEpochs their epochs
   */
  public LastBatches(long[] offsets, long[] markerProducers, short[] markerEpochs) {
    this.offsets = offsets;
    this.markerProducers = markerProducers;
    this.markerEpochs = markerEpochs;
    this.lastMarkers = new long[markerProducers.length];
    Arrays.sort(offsets);
    Arrays.fill(lastMarkers, -1);
  }

  /** A marker behind those that were met before. */
  void onMarker(BatchView marker) {
    int index = indexOf(marker);
    if (index >= 0) {
      lastMarkers[index] = marker.lastOffset();
    }
  }

  boolean contains(BatchView batch) {
    if (!batch.hasProducerId()) {
      return false;
    }
    if (!batch.isControl()) {
      return Arrays.binarySearch(offsets, batch.lastOffset()) >= 0;
    }
    int index = indexOf(batch);
    // None was met in what is new: then it is the one that an earlier run has kept.
    return index >= 0 && (lastMarkers[index] < 0 || lastMarkers[index] == batch.lastOffset());
  }

  private int indexOf(BatchView marker) {
    int index = Arrays.binarySearch(markerProducers, marker.producerId());
    return index >= 0 && markerEpochs[index] == marker.producerEpoch() ? index : -1;
  }
}
