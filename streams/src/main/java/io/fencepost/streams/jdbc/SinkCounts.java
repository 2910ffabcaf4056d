package io.fencepost.streams.jdbc;

/**
 * Sums over the workers of one sink since its start.
 *
 * @param rows messages that were stored
 * @param deadLetters messages that went to the dead-letter table
 * @param transactions of the database that were committed, with rows or dead letters
 * @param retries failures after which the same messages were read again
 * @param fences transactions that were refused as another sink had taken the partition
 */
public record SinkCounts(
    long rows, long deadLetters, long transactions, long retries, long fences) {
  public static final SinkCounts ZERO = new SinkCounts(0, 0, 0, 0, 0);

  public SinkCounts plus(SinkCounts other) {
    return new SinkCounts(
        rows + other.rows,
        deadLetters + other.deadLetters,
        transactions + other.transactions,
        retries + other.retries,
        fences + other.fences);
  }
}
