package io.fencepost.broker.batch;

/**
 * Whether the records of a batch are what its header says, so that nothing is stored at which every
 * reader would stop for ever; and what of them must be known to judge the batch.
 *
 * @param allHaveKeys no record is without a key
 * @param minTimestamp the earliest of those records that have a time; else {@link #NO_MINIMUM}
 * @param maxTimestamp the latest of its records
 */
public record RecordLayout(boolean allHaveKeys, long minTimestamp, long maxTimestamp) {
  /** No record has a time. */
  public static final long NO_MINIMUM = Long.MAX_VALUE;

  /**
   * Throws {@link MalformedBatchException} unless the records are as many as stated, each as long
   * as it says and at the offset of its place, and nothing stands behind them; {@link
   * OversizedBatchException} if they take more than the limit when they are unpacked.
   */
  public static RecordLayout of(BatchView batch, long limitBytes) {
    boolean allHaveKeys = true;
    long min = NO_MINIMUM;
    long max = BatchView.NO_TIMESTAMP;
    try (RecordWalk records = RecordWalk.of(batch, limitBytes)) {
      for (int index = 0; records.next(); index++) {
        if (records.offset() != batch.baseOffset() + index) {
          throw new MalformedBatchException(
              "record " + index + " of the batch has offset " + records.offset());
        }
        allHaveKeys &= records.hasKey();
        if (records.timestamp() != BatchView.NO_TIMESTAMP) {
          min = Math.min(min, records.timestamp());
        }
        max = Math.max(max, records.timestamp());
      }
    }
    return new RecordLayout(allHaveKeys, min, max);
  }
}
