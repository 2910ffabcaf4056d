package io.fencepost.testkit.prove;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All runs of a proof.
 *
 * @param stability why the job's output cannot be compared with that of a run without faults: two
 *     of these differ; null if they agree
 * @param pointCount how many classes of passings were sighted
 * @param example of the runs that held, the one in which most was broken; null if none held
 */
public record ProofReport(
    String subject,
    long seed,
    int pointCount,
    @Nullable String stability,
    List<ProofResult> results,
    List<Failure> failures,
    @Nullable ProofResult example,
    long millis) {
  /**
   * A plan that broke an invariant.
   *
   * @param smallest what is left of it that still does
   */
  public record Failure(ProofResult result, FaultPlan smallest) {}

  /**
   * All runs of one kind of fault.
   *
   * @param fired runs whose plans were done whole
   */
  public record Row(String kind, int runs, int fired, ProofResult.Counts counts, int violations) {}

  public ProofReport {
    results = List.copyOf(results);
    failures = List.copyOf(failures);
  }

  /** By kind of fault. */
  public List<Row> rows() {
    TreeMap<String, List<ProofResult>> byKind = new TreeMap<>();
    results.forEach(
        result ->
            byKind
                .computeIfAbsent(result.candidate().kind(), kind -> new ArrayList<>())
                .add(result));
    List<Row> rows = new ArrayList<>();
    byKind.forEach((kind, all) -> rows.add(row(kind, all)));
    return rows;
  }

  /** All together. */
  public Row total() {
    return row("all", results);
  }

  private static Row row(String kind, List<ProofResult> results) {
    ProofResult.Counts counts = ProofResult.Counts.ZERO;
    int fired = 0;
    int violations = 0;
    for (ProofResult result : results) {
      counts = counts.plus(result.counts());
      fired += result.undone().isEmpty() ? 1 : 0;
      violations += result.holds() ? 0 : 1;
    }
    return new Row(kind, results.size(), fired, counts, violations);
  }

  /** Plans of which a part was not done. */
  public List<ProofResult> undone() {
    return results.stream().filter(result -> !result.undone().isEmpty()).toList();
  }

  /** By invariant: broken if any run broke it, else with the occasions of all runs. */
  public SortedMap<String, Verdict> verdicts() {
    TreeMap<String, Verdict> all = new TreeMap<>();
    results.forEach(
        result ->
            result.verdicts().forEach((id, verdict) -> all.merge(id, verdict, ProofReport::worse)));
    return all;
  }

  private static Verdict worse(Verdict one, Verdict other) {
    if (one instanceof Verdict.Fail || other instanceof Verdict.Vacuous) {
      return one;
    }
    if (one instanceof Verdict.Pass a && other instanceof Verdict.Pass b) {
      return new Verdict.Pass(a.occasions() + b.occasions());
    }
    return other;
  }

  /** S1: what every campaign of faults has to have brought about, and this has not. */
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    ProofResult.Counts counts = total().counts();
    addIf(missing, counts.commits() == 0, "a commit");
    addIf(missing, counts.aborts() == 0, "an abort");
    addIf(missing, counts.fenced() == 0, "a fenced producer");
    addIf(missing, counts.retries() == 0, "a retry");
    return missing;
  }

  private static void addIf(List<String> missing, boolean isMissing, String what) {
    if (isMissing) {
      missing.add(what);
    }
  }

  /** Whether no run broke anything. */
  public boolean holds() {
    return failures.isEmpty();
  }

  /** Why runs that broke nothing prove nothing; null if they do. */
  public @Nullable String weakness() {
    if (results.stream().allMatch(result -> result.fired().isEmpty())) {
      return "nothing that was planned was done";
    }
    if (total().fired() == 0) {
      return "no plan was done whole";
    }
    return stability == null
        ? null
        : "the output could not be compared, as "
            + stability
            + "; does the job put out the time, random numbers or what it keeps in static"
            + " variables?";
  }
}
