package io.fencepost.txn.regex;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * How large a pattern becomes once its counted repetitions are written out: {@code (a{1000}){1000}}
 * is short and compiles to a million steps. An upper estimate by one pass over the text; whether
 * the text is a pattern at all is the compiler's business.
 */
public final class RegexSize {
  static final int MAX_LENGTH = 1_000;
  static final int MAX_STEPS = 2_000;

  private final String text;
  private int at;

  /** Steps of the open groups, outermost last. */
  private final Deque<Long> outer = new ArrayDeque<>();

  /** Steps of the group that is open. */
  private long total;

  /** Steps of the last atom, which a repetition multiplies. */
  private long last;

  private RegexSize(String text) {
    this.text = text;
  }

  /** Null if the pattern is small enough. */
  public static @Nullable String complaint(String text) {
    if (text.length() > MAX_LENGTH) {
      return "The pattern has " + text.length() + " characters, more than " + MAX_LENGTH;
    }
    long steps = new RegexSize(text).steps();
    return steps <= MAX_STEPS
        ? null
        : "The pattern " + text + " has " + steps + " steps, more than " + MAX_STEPS;
  }

  private long steps() {
    while (at < text.length()) {
      char c = text.charAt(at);
      switch (c) {
        case '\\' -> escape();
        case '[' -> characterClass();
        case '(' -> open();
        case ')' -> close();
        case '{' -> repetition();
        case '*', '+', '?' -> {
          // One more step for the loop; the atom stays the one that a repetition multiplies.
          total++;
          last++;
          at++;
        }
        default -> atom(1);
      }
    }
    while (!outer.isEmpty()) {
      close();
    }
    return total;
  }

  private void atom(int length) {
    total++;
    last = 1;
    at += length;
  }

  private void escape() {
    if (text.startsWith("\\Q", at)) {
      int end = text.indexOf("\\E", at);
      int literal = (end < 0 ? text.length() : end) - at;
      total += literal;
      last = 1;
      at = end < 0 ? text.length() : end + 2;
      return;
    }
    atom(2);
  }

  private void characterClass() {
    int end = at + 1;
    if (end < text.length() && text.charAt(end) == '^') {
      end++;
    }
    if (end < text.length() && text.charAt(end) == ']') {
      end++;
    }
    while (end < text.length() && text.charAt(end) != ']') {
      end += text.charAt(end) == '\\' ? 2 : 1;
    }
    atom(end + 1 - at);
  }

  private void open() {
    outer.push(total);
    total = 0;
    last = 0;
    at++;
  }

  private void close() {
    at++;
    if (!outer.isEmpty()) {
      long inner = total + 2;
      total = saturated(outer.pop() + inner);
      last = inner;
    }
  }

  private void repetition() {
    int end = text.indexOf('}', at);
    long times = end < 0 ? -1 : times(text.substring(at + 1, end));
    if (times < 0) {
      atom(1);
      return;
    }
    long repeated = saturated(last * times);
    total = saturated(total - last + repeated);
    last = repeated;
    at = end + 1;
  }

  /** Of the bounds n; n, and n,m the greater one; -1 if the text is no repetition. */
  private static long times(String bounds) {
    long greatest = -1;
    for (String bound : bounds.split(",", 2)) {
      if (bound.isEmpty()) {
        continue;
      }
      if (bound.length() > 6 || !bound.chars().allMatch(Character::isDigit)) {
        return -1;
      }
      greatest = Math.max(greatest, Long.parseLong(bound) + 1);
    }
    return greatest;
  }

  private static long saturated(long steps) {
    return Math.min(steps, Integer.MAX_VALUE);
  }
}
