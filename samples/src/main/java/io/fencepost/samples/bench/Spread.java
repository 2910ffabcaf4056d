package io.fencepost.samples.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Minimum, median and maximum of one figure over the passes. */
record Spread(double min, double median, double max) {
  static <T> Spread of(List<T> passes, ToDoubleFunction<T> figure) {
    double[] sorted = passes.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(sorted[0], median, sorted[sorted.length - 1]);
  }
}
