package io.fencepost.testkit.prove;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one run under a plan came to.
 *
 * @param fired what was broken, in order
 * @param unfired what was planned and not done, as the job did not pass there as often
 * @param verdicts by invariant
 * @param counts what the job's workers did
 * @param history the file that holds it, if it was kept
 */
public record ProofResult(
    Candidate candidate,
    List<Fired> fired,
    List<Faults.Unfired> unfired,
    SortedMap<String, Verdict> verdicts,
    Counts counts,
    long millis,
    @Nullable String history) {
  /**
   * What the workers told.
   *
   * @param restarts of the job, by a fault or because it had ended
   */
  public record Counts(long commits, long aborts, long fenced, long retries, long restarts) {
    /** Nothing yet. */
    public static final Counts ZERO = new Counts(0, 0, 0, 0, 0);

    /** Both together. */
    public Counts plus(Counts other) {
      return new Counts(
          commits + other.commits,
          aborts + other.aborts,
          fenced + other.fenced,
          retries + other.retries,
          restarts + other.restarts);
    }
  }

  /** The invariants that were broken. */
  public SortedMap<String, Verdict.Fail> violations() {
    TreeMap<String, Verdict.Fail> broken = new TreeMap<>();
    verdicts.forEach(
        (id, verdict) -> {
          if (verdict instanceof Verdict.Fail fail) {
            broken.put(id, fail);
          }
        });
    return broken;
  }

  /** Whether nothing was broken. */
  public boolean holds() {
    return violations().isEmpty();
  }
}
