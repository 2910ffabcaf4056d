package io.fencepost.samples.client;

import io.fencepost.samples.report.Rows;
import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.prove.main.Mutants;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What came of all mutants, for people and for JSON. */
public final class MutantsText {
  private static final int WITNESS_SHOWN = 160;

  private final List<Mutants.Result> results;

  /** Of these results, in their order. */
  public MutantsText(List<Mutants.Result> results) {
    this.results = List.copyOf(results);
  }

  /** Whether none survived. */
  public boolean holds() {
    return results.stream().allMatch(Mutants.Result::isCaught);
  }

  private Rows rows(int witnessLength) {
    Rows rows = new Rows("MUTANT", "CAUGHT BY", "PLAN", "WITNESS");
    for (Mutants.Result result : results) {
      String told = result.trouble().isEmpty() ? result.witness() : result.trouble();
      rows.row(
          result.mutant().label(),
          result.isCaught() ? String.join(" ", result.witnesses().keySet()) : "SURVIVED",
          result.plan().isEmpty() ? null : result.plan().toString(),
          told.length() <= witnessLength ? told : told.substring(0, witnessLength - 3) + "...");
    }
    return rows;
  }

  /** What each check says of one. */
  private static String witnesses(Mutants.Result result) {
    StringBuilder text = new StringBuilder();
    result
        .witnesses()
        .forEach(
            (id, witness) ->
                text.append("%-4s %s%n     %s%n".formatted(id, Invariants.sentence(id), witness)));
    return text.toString();
  }

  private long caughtCount() {
    return results.stream().filter(Mutants.Result::isCaught).count();
  }

  /** For JSON. */
  public Map<String, Object> toObject() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("mutants", rows(Integer.MAX_VALUE).toObjects());
    object.put("caught", caughtCount());
    object.put("holds", holds());
    return object;
  }

  @Override
  public String toString() {
    return rows(WITNESS_SHOWN)
        + "\n"
        + (results.size() == 1 ? witnesses(results.get(0)) + "\n" : "")
        + caughtCount()
        + " of "
        + results.size()
        + " mutants caught; without its mutant each story was sound, under the same plan.";
  }
}
