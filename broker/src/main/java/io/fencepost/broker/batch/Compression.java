package io.fencepost.broker.batch;

/** How the records of a batch are compressed; in the order of their numbers in a batch. */
public enum Compression {
  NONE,
  GZIP,
  SNAPPY,
  LZ4,
  ZSTD;

  private static final Compression[] BY_NUMBER = values();

  /** Throws {@link MalformedBatchException} for a number that no codec has. */
  public static Compression of(int number) {
    if (number < 0 || number >= BY_NUMBER.length) {
      throw new MalformedBatchException("compression " + number + " does not exist");
    }
    return BY_NUMBER[number];
  }
}
