package io.fencepost.testkit.prove;

import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What one run under a plan came to.
 *
 * @param fired what was broken, in order
 * @param undone what was planned and not done, in words: the job did not pass there as often, or it
 *     could not be done to a broker, as one that was down already
 * @param verdicts by invariant
 * @param counts what the job's workers did
 * @param records what became of the job's output; null if the run did not come so far
 * @param history the file that holds it, if it was kept
 * @param seen the same and what logs hold, if it is to be drawn
 */
public record ProofResult(
    Candidate candidate,
    List<Fired> fired,
    List<String> undone,
    SortedMap<String, Verdict> verdicts,
    Counts counts,
    @Nullable Records records,
    long millis,
    @Nullable String history,
    @Nullable History seen) {
  /**
   * The output topics at the end.
   *
   * @param intended what a run without faults puts out; null if that is another output each time
   * @param written records that stand in the logs
   * @param aborted those of them whose transactions were not committed
   * @param logDelta how many offsets the logs grew, markers included
   * @param duplicates committed records beyond those that were intended
   */
  public record Records(
      @Nullable Long intended, long written, long aborted, long logDelta, long duplicates) {
    /** Both together. */
    public Records plus(Records other) {
      return new Records(
          intended == null || other.intended == null ? null : (Long) (intended + other.intended),
          written + other.written,
          aborted + other.aborted,
          logDelta + other.logDelta,
          duplicates + other.duplicates);
    }
  }

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

  public ProofResult {
    fired = List.copyOf(fired);
    undone = List.copyOf(undone);
  }

  /** The same with its history. */
  public ProofResult keptIn(String file, @Nullable History all) {
    return new ProofResult(candidate, fired, undone, verdicts, counts, records, millis, file, all);
  }

  /** The invariants that were broken. */
  public SortedMap<String, Verdict.Fail> violations() {
    return Verdict.failures(verdicts);
  }

  /** Whether nothing was broken. */
  public boolean holds() {
    return violations().isEmpty();
  }
}
