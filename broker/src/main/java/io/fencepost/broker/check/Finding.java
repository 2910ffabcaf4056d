package io.fencepost.broker.check;

/**
 * One thing that does not fit.
 *
 * @param file relative to the broker's directory
 * @param position the byte at which it begins, or {@link #WHOLE}
 * @param sentence what is wrong
 */
public record Finding(Severity severity, String file, long position, String sentence) {
  /** No single byte: the file as a whole. */
  public static final long WHOLE = -1;

  /** What it means for the records. */
  public enum Severity {
    /** Something that was safe is lost, wrong, or was never meant to be. */
    DAMAGE,
    /** What an unclean stop leaves behind; the next start puts it right and loses nothing. */
    REPAIRABLE
  }

  public boolean isDamage() {
    return severity == Severity.DAMAGE;
  }

  @Override
  public String toString() {
    String at = position == WHOLE ? "" : " at byte " + position;
    return file + at + ": " + sentence;
  }
}
