package io.fencepost.testkit.fault;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How names and times are written in plans. */
final class PlanText {
  private static final Pattern TIME = Pattern.compile("([+-]?)([0-9]{1,12})(ms|s|m|h)");
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]+");
  private static final long SECOND_MS = 1_000;
  private static final long MINUTE_MS = 60_000;
  private static final long HOUR_MS = 3_600_000;

  private PlanText() {}

  /** In the largest unit that leaves no rest. */
  static String duration(Duration time) {
    long millis = time.toMillis();
    if (millis % HOUR_MS == 0) {
      return millis / HOUR_MS + "h";
    }
    if (millis % MINUTE_MS == 0) {
      return millis / MINUTE_MS + "m";
    }
    return millis % SECOND_MS == 0 ? millis / SECOND_MS + "s" : millis + "ms";
  }

  /**
   * @throws IllegalArgumentException if it is no time
   */
  static Duration duration(String text) {
    Matcher matcher = TIME.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no time like 500ms, 2s, 5m or 1h");
    }
    long count = Long.parseLong(matcher.group(2));
    Duration time =
        switch (matcher.group(3)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          default -> Duration.ofHours(count);
        };
    return matcher.group(1).equals("-") ? time.negated() : time;
  }

  /** The name itself, or in quotes if it holds more than letters, digits, dots and lines. */
  static String quoted(String name) {
    if (PLAIN.matcher(name).matches()) {
      return name;
    }
    return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Undoes {@link #quoted}. */
  static String unquoted(String text) {
    if (text.length() < 2 || !text.startsWith("\"") || !text.endsWith("\"")) {
      if (text.isEmpty() || text.indexOf('"') >= 0) {
        throw new IllegalArgumentException("'" + text + "' is no name, plain or in \"quotes\"");
      }
      return text;
    }
    StringBuilder name = new StringBuilder();
    for (int i = 1; i < text.length() - 1; i++) {
      if (text.charAt(i) == '\\' && i < text.length() - 2) {
        i++;
      }
      name.append(text.charAt(i));
    }
    return name.toString();
  }

  /** Where the first of these letters is outside of quotes and, if asked for, brackets; or -1. */
  static int indexOutside(String text, char letter, int from, boolean brackets) {
    boolean quotes = false;
    int depth = 0;
    for (int i = from; i < text.length(); i++) {
      char at = text.charAt(i);
      if (quotes && at == '\\') {
        i++;
      } else if (at == '"') {
        quotes = !quotes;
      } else if (!quotes && depth == 0 && at == letter) {
        return i;
      } else if (!quotes && brackets && at == '[') {
        depth++;
      } else if (!quotes && brackets && at == ']') {
        depth = Math.max(0, depth - 1);
      }
    }
    return -1;
  }
}
