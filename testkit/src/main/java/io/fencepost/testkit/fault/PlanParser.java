package io.fencepost.testkit.fault;

import io.fencepost.broker.wire.WireError;
import io.fencepost.testkit.fault.FaultKind.Takes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads plans as people write them. Every refusal names the entry and what it wants. */
final class PlanParser {
  private static final Pattern ACT =
      Pattern.compile("([a-z]+)\\s+([a-z]+)(?:\\s+([0-9]{1,6}))?(?:\\s+of\\s+(\\S.*))?");

  private PlanParser() {}

  static List<PlannedFault> entries(String text) {
    List<PlannedFault> faults = new ArrayList<>();
    int start = 0;
    while (start <= text.length()) {
      int semicolon = PlanText.indexOutside(text, ';', start, true);
      int end = semicolon < 0 ? text.length() : semicolon;
      String entry = text.substring(start, end).strip();
      if (!entry.isEmpty()) {
        faults.add(entry(entry));
      }
      start = end + 1;
    }
    return faults;
  }

  private static PlannedFault entry(String text) {
    try {
      int at = PlanText.indexOutside(text, '@', 0, true);
      return at < 0 ? call(text) : act(text.substring(0, at).strip(), text.substring(at + 1));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + " (in '" + text + "')", e);
    }
  }

  private static PlannedFault call(String text) {
    int colon = PlanText.indexOutside(text, ':', 0, true);
    if (colon < 0) {
      throw new IllegalArgumentException(
          "a fault is POINT:ACTION, as in 'EndTxn#3:answer-lost', or ACT@POINT, as in 'kill"
              + " job@after-send#17'");
    }
    Spot spot = spot(text.substring(0, colon).strip());
    return spot.with(action(text.substring(colon + 1).strip()));
  }

  private static FaultAction action(String text) {
    int equals = text.indexOf('=');
    FaultKind kind = kind((equals < 0 ? text : text.substring(0, equals)).strip(), false);
    String value = equals < 0 ? "" : text.substring(equals + 1).strip();
    if (kind.takes() != Takes.VALUE) {
      if (equals >= 0) {
        throw new IllegalArgumentException("'" + kind.label() + "' takes no value");
      }
      return FaultAction.of(kind);
    }
    return kind == FaultKind.DELAYED
        ? new FaultAction(kind, 0, null, PlanText.duration(value), null)
        : new FaultAction(kind, 0, null, null, error(value));
  }

  private static PlannedFault act(String head, String rest) {
    Matcher words = ACT.matcher(head);
    FaultKind kind =
        words.matches() ? kind(words.group(1) + " " + words.group(2), true) : kind(head, true);
    if (!words.matches()) {
      throw new IllegalArgumentException(usage(kind));
    }
    String number = words.group(3);
    String of = words.group(4);
    String keyword = kind.takes() == Takes.SHIFT ? " by " : " for ";
    int tail = keywordIndex(rest, keyword);
    String spot = tail < 0 ? rest : rest.substring(0, tail);
    Duration time =
        tail < 0 ? null : PlanText.duration(rest.substring(tail + keyword.length()).strip());
    return spot(spot.strip())
        .with(
            new FaultAction(
                kind,
                number == null ? 0 : Integer.parseInt(number),
                of == null ? null : PlanText.unquoted(of.strip()),
                time(kind, time),
                null));
  }

  private static @Nullable Duration time(FaultKind kind, @Nullable Duration given) {
    boolean wanted = kind.takes() == Takes.NUMBER_AND_LENGTH || kind.takes() == Takes.SHIFT;
    if (wanted != (given != null)) {
      throw new IllegalArgumentException(usage(kind));
    }
    return given;
  }

  /** Where the keyword stands, spaces around it, outside of names; or -1. */
  private static int keywordIndex(String text, String keyword) {
    for (int i = PlanText.indexOutside(text, ' ', 0, true);
        i >= 0;
        i = PlanText.indexOutside(text, ' ', i + 1, true)) {
      if (text.startsWith(keyword, i)) {
        return i;
      }
    }
    return -1;
  }

  private static String usage(FaultKind kind) {
    String example =
        switch (kind.takes()) {
          case NUMBER -> kind.label() + "@Produce#9', or '" + kind.label() + " 2@Produce#9";
          case NUMBER_AND_LENGTH -> kind.label() + "@Produce#9 for 2s";
          case SHIFT -> kind.label() + "@Produce#9 by +1h";
          case OF -> kind.label() + " of payments-0@Produce#9";
          case NOTHING, VALUE -> "Produce#9:" + kind.label();
        };
    return "it is written '" + example + "'";
  }

  private static FaultKind kind(String text, boolean act) {
    List<String> labels = new ArrayList<>();
    for (FaultKind kind : FaultKind.values()) {
      if (kind.isAct() == act) {
        if (kind.label().equals(text)) {
          return kind;
        }
        labels.add(kind.label());
      }
    }
    throw new IllegalArgumentException(
        "there is no %s '%s'%s".formatted(act ? "act" : "action", text, known(text, labels)));
  }

  private static String known(String text, List<String> labels) {
    String hint = FaultPoints.nearest(text, labels);
    return hint.isEmpty() ? "; it is one of " + String.join(", ", labels) : hint;
  }

  private static WireError error(String name) {
    List<String> names = new ArrayList<>();
    for (WireError error : WireError.values()) {
      if (error.name().equals(name)) {
        return error;
      }
      names.add(error.name());
    }
    throw new IllegalArgumentException(
        "there is no error '" + name + "'" + FaultPoints.nearest(name, names));
  }

  private record Spot(FaultPoint point, FaultFilter filter, Timing timing) {
    PlannedFault with(FaultAction action) {
      return new PlannedFault(point, filter, timing, action);
    }
  }

  /** Reads {@code POINT[FILTER]WHEN}. */
  private static Spot spot(String text) {
    int end = 0;
    while (end < text.length() && isOfName(text.charAt(end))) {
      end++;
    }
    FaultPoint point = FaultPoints.of(text.substring(0, end));
    String rest = text.substring(end).strip();
    FaultFilter filter = FaultFilter.ALL;
    if (rest.startsWith("[")) {
      int close = PlanText.indexOutside(rest, ']', 0, false);
      if (close < 0) {
        throw new IllegalArgumentException("'" + rest + "' has no ]");
      }
      filter = FaultFilter.parse(rest.substring(1, close));
      rest = rest.substring(close + 1).strip();
    }
    return new Spot(point, filter, Timing.parse(rest));
  }

  private static boolean isOfName(char letter) {
    return "#%~[ ".indexOf(letter) < 0;
  }
}
