package io.fencepost.samples.payment;

/**
 * What a payment gateway sends: a row as it stands in the file, where it came from, and how often
 * it was sent before. {@code columns} is the number of columns that the row should have.
 */
public record Delivery(String file, long line, int attempt, int columns, String row) {
  /** The same row, sent once more. */
  Delivery again() {
    return new Delivery(file, line, attempt + 1, columns, row);
  }

  /** Where the row stands. */
  public String source() {
    return file + ":" + line;
  }

  /** Whether an earlier delivery of this very row went before. */
  boolean isRedelivery() {
    return attempt > 0;
  }
}
