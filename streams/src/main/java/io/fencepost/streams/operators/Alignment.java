package io.fencepost.streams.operators;

/**
 * Windows of one size, one starting at each multiple of the advance since 1970. Pure arithmetic.
 *
 * <pre>
 * t is in the windows that start at
 *   first(t), first(t) + advance, ...   while start <= t
 * first(t) = the smallest multiple of the advance with  start + size > t
 * </pre>
 */
record Alignment(long sizeMs, long advanceMs) {
  long firstStartMs(long timeMs) {
    return (Math.floorDiv(timeMs - sizeMs, advanceMs) + 1) * advanceMs;
  }

  long endMs(long startMs) {
    return startMs + sizeMs;
  }
}
