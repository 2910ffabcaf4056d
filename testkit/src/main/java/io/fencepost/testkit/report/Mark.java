package io.fencepost.testkit.report;

/**
 * A moment worth a mark on the timeline.
 *
 * @param atMs in milliseconds since the epoch
 */
public record Mark(Kind kind, long atMs, String text) {
  /** What happened. */
  public enum Kind {
    /** Something was broken, by who tests. */
    FAULT,
    /** Something was made well again. */
    REPAIR,
    /** A session owns its transactional id from now on. */
    SESSION,
    /** A request of a session that was given up was refused. */
    FENCED,
    /** Such a request was not refused. */
    LET_THROUGH,
    /** Something that should not have happened. */
    TROUBLE;

    String label() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }

  /** A fault that was done. */
  public static Mark fault(long atMs, String text) {
    return new Mark(Kind.FAULT, atMs, text);
  }
}
