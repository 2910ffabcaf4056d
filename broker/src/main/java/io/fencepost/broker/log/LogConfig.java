package io.fencepost.broker.log;

/**
 * What a topic's configuration says about its log. -1 as a retention means no limit.
 *
 * @param segmentMs the span of record time after which a segment is closed
 * @param fileDeleteDelayMs how long files of removed segments stay readable for answers being sent
 */
public record LogConfig(
    int segmentBytes,
    long segmentMs,
    int indexIntervalBytes,
    int maxIndexBytes,
    long retentionMs,
    long retentionBytes,
    long fileDeleteDelayMs) {

  /** Kafka's defaults. */
  public static LogConfig defaults() {
    return new LogConfig(
        1024 * 1024 * 1024,
        7L * 24 * 60 * 60 * 1000,
        4096,
        10 * 1024 * 1024,
        7L * 24 * 60 * 60 * 1000,
        -1,
        60_000);
  }

  public LogConfig withSegmentBytes(int segmentBytes) {
    return new LogConfig(
        segmentBytes,
        segmentMs,
        indexIntervalBytes,
        maxIndexBytes,
        retentionMs,
        retentionBytes,
        fileDeleteDelayMs);
  }

  public LogConfig withSegmentMs(long segmentMs) {
    return new LogConfig(
        segmentBytes,
        segmentMs,
        indexIntervalBytes,
        maxIndexBytes,
        retentionMs,
        retentionBytes,
        fileDeleteDelayMs);
  }

  public LogConfig withIndex(int indexIntervalBytes, int maxIndexBytes) {
    return new LogConfig(
        segmentBytes,
        segmentMs,
        indexIntervalBytes,
        maxIndexBytes,
        retentionMs,
        retentionBytes,
        fileDeleteDelayMs);
  }

  public LogConfig withRetention(long retentionMs, long retentionBytes) {
    return new LogConfig(
        segmentBytes,
        segmentMs,
        indexIntervalBytes,
        maxIndexBytes,
        retentionMs,
        retentionBytes,
        fileDeleteDelayMs);
  }
}
