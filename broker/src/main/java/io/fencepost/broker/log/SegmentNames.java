package io.fencepost.broker.log;

/** File names in a partition's directory: twenty digits of offset and a suffix, as Kafka's. */
final class SegmentNames {
  static final String LOG = ".log";
  static final String INDEX = ".index";
  static final String TIME_INDEX = ".timeindex";
  static final String TXN_INDEX = ".txnindex";
  static final String SNAPSHOT = ".snapshot";
  static final String LEADER_EPOCHS = "leader-epoch-checkpoint";
  static final String RECOVERY_POINT = "recovery-point";
  static final String FORCE_DOUBT = "force-doubt";
  static final String DURABLE_END = "durable-end";
  static final String LOG_START = "log-start-offset";
  static final String COMPACTED = "compacted-offset";
  static final String SWAP = "segment-swap";

  /** Ends the names of a segment that is being written by compaction. */
  static final String CLEANED = ".cleaned";

  private static final int DIGITS = 20;

  private SegmentNames() {}

  static String name(long offset, String suffix) {
    String digits = Long.toString(offset);
    return "0".repeat(DIGITS - digits.length()) + digits + suffix;
  }

  /** The offset in the name; -1 if the name is not of this kind. */
  static long offset(String name, String suffix) {
    if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
      return -1;
    }
    long offset = 0;
    for (int i = 0; i < DIGITS; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9 || offset > (Long.MAX_VALUE - digit) / 10) {
        return -1;
      }
      offset = offset * 10 + digit;
    }
    return offset;
  }
}
