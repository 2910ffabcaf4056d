package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Finished;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs checks over a history of which parts may be missing. */
public final class Verification {
  /** C2 stands before C10. */
  public static final Comparator<String> BY_ID =
      Comparator.<String>comparingInt(id -> id.charAt(0))
          .thenComparingInt(id -> Integer.parseInt(id.substring(1)));

  private Verification() {}

  /** All checks that there are, by id. */
  public static List<Check> checks() {
    List<Check> checks = new ArrayList<>(Check.all());
    checks.addAll(Check.underFire());
    checks.sort(Comparator.comparing(Check::id, BY_ID));
    return checks;
  }

  /** What each of the checks says, by its id. */
  public static Map<String, Verdict> verdicts(History history, List<Check> checks) {
    Map<String, Verdict> verdicts = new LinkedHashMap<>();
    for (Check check : checks) {
      verdicts.put(check.id(), verdict(history, check));
    }
    return verdicts;
  }

  /**
   * What the check says. A failure by something that is not there is unknown if it may be where the
   * history has a gap, or may still have been to come.
   */
  public static Verdict verdict(History history, Check check) {
    Verdict verdict = check.check(history);
    if (verdict instanceof Verdict.Vacuous vacuous && vacuous.reason().isEmpty()) {
      return new Verdict.Vacuous(reason(history, check));
    }
    if (verdict instanceof Verdict.Fail fail) {
      String gap = history.gap();
      if (fail.ground() != Verdict.Ground.SEEN && gap != null) {
        return new Verdict.Unknown(
            "%s, and this may be only because of that: %s".formatted(gap, fail.sentence()),
            fail.events());
      }
      if (fail.ground() == Verdict.Ground.END && !history.has(Finished.class)) {
        return new Verdict.Unknown(
            "there is no 'finished' event, so this may still have been to come: " + fail.sentence(),
            fail.events());
      }
    }
    return verdict;
  }

  private static String reason(History history, Check check) {
    String missing =
        check.needs().stream()
            .filter(kind -> !history.has(kind))
            .map(kind -> "'" + EventNames.of(kind) + "'")
            .distinct()
            .collect(Collectors.joining(" and no "));
    return missing.isEmpty()
        ? "there are no " + check.occasions()
        : "there is no " + missing + " event";
  }
}
