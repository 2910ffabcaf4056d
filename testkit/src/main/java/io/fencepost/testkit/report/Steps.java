package io.fencepost.testkit.report;

import java.util.Arrays;

/** A value that changes now and then, thinned out so that it can be drawn. Not thread-safe. */
final class Steps {
  private long[] at = new long[16];
  private long[] values = new long[16];
  private int size;

  /** From here on the value is this. */
  void set(long position, long value) {
    if (size > 0 && values[size - 1] == value) {
      return;
    }
    if (size > 0 && at[size - 1] == position && !fell(size - 1) && value > values[size - 1]) {
      values[size - 1] = value;
      return;
    }
    if (size == at.length) {
      at = Arrays.copyOf(at, size * 2);
      values = Arrays.copyOf(values, size * 2);
    }
    at[size] = position;
    values[size++] = value;
  }

  boolean isEmpty() {
    return size == 0;
  }

  long last() {
    return values[size - 1];
  }

  private boolean fell(int i) {
    return i >= 1 && values[i] < values[i - 1];
  }

  /**
   * Position and value by turns, of at most about so many steps: in each of equally long stretches
   * the last one stays, and so does every fall with what was before and after it.
   */
  long[] thinned(int limit) {
    if (size <= limit) {
      return flat(new int[0], size);
    }
    double stretch = Math.max(1, (at[size - 1] - at[0] + 1) / (double) limit);
    int[] kept = new int[size];
    int count = 0;
    for (int i = 0; i < size; i++) {
      boolean isLastOfStretch =
          i == size - 1
              || (long) ((at[i + 1] - at[0]) / stretch) != (long) ((at[i] - at[0]) / stretch);
      if (i == 0 || isLastOfStretch || fell(i) || fell(i - 1) || fell(Math.min(i + 1, size - 1))) {
        kept[count++] = i;
      }
    }
    return flat(kept, count);
  }

  private long[] flat(int[] kept, int count) {
    long[] flat = new long[2 * count];
    for (int k = 0; k < count; k++) {
      int i = kept.length == 0 ? k : kept[k];
      flat[2 * k] = at[i];
      flat[2 * k + 1] = values[i];
    }
    return flat;
  }
}
