package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** Says of one batch after the other, in log order, whether its transaction was aborted. */
final class AbortedSpans {
  private final List<AbortedTxn> byFirstOffset;
  private final TreeMap<Long, Long> markerOfOpen = new TreeMap<>();
  private int next;

  AbortedSpans(List<AbortedTxn> aborted) {
    this.byFirstOffset = new ArrayList<>(aborted);
    this.byFirstOffset.sort(Comparator.comparingLong(AbortedTxn::firstOffset));
  }

  boolean covers(BatchView batch) {
    if (!batch.isTransactional()) {
      return false;
    }
    long offset = batch.baseOffset();
    while (next < byFirstOffset.size() && byFirstOffset.get(next).firstOffset() <= offset) {
      AbortedTxn txn = byFirstOffset.get(next++);
      if (txn.lastOffset() >= offset) {
        markerOfOpen.put(txn.producerId(), txn.lastOffset());
      }
    }
    Long marker = markerOfOpen.get(batch.producerId());
    if (marker != null && marker < offset) {
      markerOfOpen.remove(batch.producerId());
      return false;
    }
    return marker != null;
  }
}
