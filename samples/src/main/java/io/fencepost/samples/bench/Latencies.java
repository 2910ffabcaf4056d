package io.fencepost.samples.bench;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/** Times of single operations, to three significant digits. Thread-safe. */
final class Latencies {
  private static final long MAX_NANOS = 60_000_000_000L;

  private final Histogram histogram = new SynchronizedHistogram(MAX_NANOS, 3);

  void add(long nanos) {
    histogram.recordValue(Math.min(nanos, MAX_NANOS));
  }

  boolean isEmpty() {
    return histogram.getTotalCount() == 0;
  }

  double millisAt(double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1e6;
  }
}
