package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.prove.Mutant;
import io.fencepost.testkit.sim.Scene;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tells each {@link Mutant}'s story twice, as it is and with its rule off, and has both checked.
 * Not to be used beside anything else in the process: the rule is off for all.
 */
public final class Mutants {
  private Mutants() {}

  /**
   * What came of one.
   *
   * @param witnesses by the checks that fail with the mutant, and pass on some occasion without; in
   *     one line each
   * @param trouble what keeps this from proving anything; empty if nothing does
   * @param history of the story with the mutant
   * @param verdicts on it, without failures of checks that had no occasion without the mutant
   */
  public record Result(
      Mutant mutant,
      FaultPlan plan,
      SortedMap<String, String> witnesses,
      String trouble,
      History history,
      Map<String, Verdict> verdicts) {
    public Result {
      witnesses = Collections.unmodifiableSortedMap(new TreeMap<>(witnesses));
    }

    /** Whether it was caught, and its absence was not. */
    public boolean isCaught() {
      return trouble.isEmpty() && !witnesses.isEmpty();
    }

    /** Of the first check that notices; empty if none does. */
    public String witness() {
      return witnesses.values().stream().findFirst().orElse("");
    }

    /** For the messages of tests. */
    @Override
    public String toString() {
      return "%s under '%s' broke %s: %s"
          .formatted(
              mutant.label(), plan, witnesses.keySet(), trouble.isEmpty() ? witness() : trouble);
    }
  }

  /**
   * What a run leaves.
   *
   * @param checks those that the history says enough for
   */
  record Played(History history, Faults faults, List<Check> checks) {
    Map<String, Verdict> verdicts() {
      return Verification.verdicts(history, checks);
    }
  }

  private static Played play(Mutant mutant) {
    if (mutant.isOfJob()) {
      return DedupRun.play(mutant.plan());
    }
    Scene scene = mutant.play();
    return new Played(scene.history(), scene.faults(), Verification.checks());
  }

  /** Both runs of one. */
  public static Result run(Mutant mutant) {
    Played sound = play(mutant);
    Map<String, Verdict> without = sound.verdicts();
    List<Played> runs = new ArrayList<>();
    mutant.run(() -> runs.add(play(mutant)));
    Played broken = runs.get(0);
    Map<String, Verdict> with = new LinkedHashMap<>(broken.verdicts());
    with.entrySet()
        .removeIf(
            entry ->
                entry.getValue() instanceof Verdict.Fail
                    && !(without.get(entry.getKey()) instanceof Verdict.Pass));
    TreeMap<String, String> witnesses = new TreeMap<>();
    Verdict.failures(with).forEach((id, fail) -> witnesses.put(id, fail.witness()));
    return new Result(
        mutant, mutant.plan(), witnesses, trouble(sound, broken, without), broken.history(), with);
  }

  private static String trouble(Played sound, Played broken, Map<String, Verdict> without) {
    for (Played run : List.of(sound, broken)) {
      if (!run.faults().unfired().isEmpty()) {
        return "the plan did not fire: " + run.faults().unfired();
      }
    }
    for (Map.Entry<String, Verdict> entry : without.entrySet()) {
      if (entry.getValue() instanceof Verdict.Fail fail) {
        return "%s fails without the mutant too: %s".formatted(entry.getKey(), fail.witness());
      }
    }
    return "";
  }
}
