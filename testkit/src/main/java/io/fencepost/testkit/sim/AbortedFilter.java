package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.wire.message.FetchResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which producers are inside an aborted transaction at the place that a reader is at, worked out as
 * a consumer does: from the aborted list of one fetch answer and the markers in it.
 */
public final class AbortedFilter {
  private final ArrayDeque<FetchResponse.AbortedTransaction> ahead;
  private final TreeSet<Long> inside = new TreeSet<>();

  /** At the first batch of a fetch answer with this list. */
  public AbortedFilter(@Nullable List<FetchResponse.AbortedTransaction> aborted) {
    List<FetchResponse.AbortedTransaction> sorted = new ArrayList<>();
    if (aborted != null) {
      sorted.addAll(aborted);
    }
    sorted.sort(Comparator.comparingLong(transaction -> transaction.firstOffset));
    this.ahead = new ArrayDeque<>(sorted);
  }

  /** Whether a batch, the next one, is of an aborted transaction. */
  public boolean isAborted(BatchView batch) {
    advanceTo(batch);
    return batch.isTransactional() && inside.contains(batch.producerId());
  }

  /** Passes a marker. */
  public void onMarker(BatchView batch) {
    advanceTo(batch);
    ControlMarker marker = ControlMarker.of(batch);
    if (marker != null && !marker.commit()) {
      inside.remove(batch.producerId());
    }
  }

  private void advanceTo(BatchView batch) {
    while (!ahead.isEmpty() && ahead.element().firstOffset <= batch.lastOffset()) {
      inside.add(ahead.remove().producerId);
    }
  }
}
