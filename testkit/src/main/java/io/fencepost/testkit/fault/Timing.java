package io.fencepost.testkit.fault;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which of the calls that count are hit, by their numbers from 1. Written {@code #3} for the third,
 * {@code %10} for every tenth, {@code ~0.35/7} for that share by a seed.
 *
 * @param nth the number or the distance; 0 for a share
 * @param rate above 0 and at most 1 for a share, else 0
 */
public record Timing(Unit unit, long nth, double rate, long seed) {
  /** The first call alone. */
  public static final Timing FIRST = occurrence(1);

  private static final Pattern SHARE =
      Pattern.compile("([0-9.]+(?:[eE]-?[0-9]+)?)(?:/(-?[0-9]{1,19}))?");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
  private static final long DEFAULT_SEED = 1;

  /** The three ways to choose. */
  public enum Unit {
    ONCE,
    EVERY,
    SHARE
  }

  /** Legal figures only. */
  public Timing {
    boolean share = unit == Unit.SHARE;
    if (share ? !(rate > 0 && rate <= 1) || nth != 0 : nth < 1 || rate != 0 || seed != 0) {
      throw new IllegalArgumentException(
          share
              ? "a share is above 0 and at most 1, not " + rate
              : "calls are counted from 1, there is no " + nth);
    }
  }

  /** The n-th call alone. */
  public static Timing occurrence(long nth) {
    return new Timing(Unit.ONCE, nth, 0, 0);
  }

  /** Every n-th call. */
  public static Timing every(long nth) {
    return new Timing(Unit.EVERY, nth, 0, 0);
  }

  /** This share of the calls, the same numbers for the same seed. */
  public static Timing share(double rate, long seed) {
    return new Timing(Unit.SHARE, 0, rate, seed);
  }

  /** Whether the call of this number is hit. */
  public boolean hits(long number) {
    return switch (unit) {
      case ONCE -> number == nth;
      case EVERY -> number % nth == 0;
      case SHARE -> draw(seed, number) < rate;
    };
  }

  /** A number from 0 to below 1 that depends on seed and turn only. */
  private static double draw(long seed, long turn) {
    long bits = seed + turn * 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return ((bits ^ (bits >>> 31)) >>> 11) * 0x1.0p-53;
  }

  /** Reads what stands behind a point and its filter; nothing is {@link #FIRST}. */
  static Timing parse(String text) {
    if (text.isEmpty()) {
      return FIRST;
    }
    String figures = text.substring(1);
    switch (text.charAt(0)) {
      case '#':
        return occurrence(number(text, figures));
      case '%':
        return every(number(text, figures));
      case '~':
        return share(text, figures);
      default:
        throw illegible(text);
    }
  }

  private static long number(String text, String figures) {
    if (!NUMBER.matcher(figures).matches()) {
      throw illegible(text);
    }
    return Long.parseLong(figures);
  }

  private static Timing share(String text, String figures) {
    Matcher matcher = SHARE.matcher(figures);
    if (!matcher.matches()) {
      throw illegible(text);
    }
    String seed = matcher.group(2);
    try {
      return share(
          Double.parseDouble(matcher.group(1)), seed == null ? DEFAULT_SEED : Long.parseLong(seed));
    } catch (NumberFormatException e) {
      throw illegible(text);
    }
  }

  private static IllegalArgumentException illegible(String text) {
    return new IllegalArgumentException(
        "'"
            + text
            + "' is no time of a fault: #3 is the third call, %10 every tenth, ~0.35/7 that"
            + " share with seed 7");
  }

  @Override
  public String toString() {
    return switch (unit) {
      case ONCE -> "#" + nth;
      case EVERY -> "%" + nth;
      case SHARE -> "~" + rate + "/" + seed;
    };
  }
}
