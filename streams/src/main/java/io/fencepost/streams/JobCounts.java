package io.fencepost.streams;

/**
 * Sums over the workers of one instance since its start. Records of an aborted transaction are not
 * counted; {@code restored} counts changelog records, {@code dropped} what operators left out (late
 * records of windows without a late output).
 */
public record JobCounts(
    long records,
    long emitted,
    long deadLetters,
    long duplicates,
    long commits,
    long aborts,
    long fences,
    long restored,
    long dropped) {
  public static final JobCounts ZERO = new JobCounts(0, 0, 0, 0, 0, 0, 0, 0, 0);

  public JobCounts plus(JobCounts other) {
    return new JobCounts(
        records + other.records,
        emitted + other.emitted,
        deadLetters + other.deadLetters,
        duplicates + other.duplicates,
        commits + other.commits,
        aborts + other.aborts,
        fences + other.fences,
        restored + other.restored,
        dropped + other.dropped);
  }
}
