package io.fencepost.testkit.report;

import org.jspecify.annotations.Nullable;

/**
 * All runs in which one kind of fault was planned. What nobody counted is null.
 *
 * @param kind of fault, as plans name it
 * @param runs that had it
 * @param fired how often it was done
 * @param aborted transactions of the job
 * @param fenced sessions of the job
 * @param retried what the job did again
 * @param restarts of the job
 * @param violations runs that broke an invariant
 */
public record FaultRow(
    String kind,
    long runs,
    long fired,
    @Nullable Long aborted,
    @Nullable Long fenced,
    @Nullable Long retried,
    @Nullable Long restarts,
    @Nullable Long violations) {
  /** A row of which only this is known. */
  public static FaultRow of(String kind, long runs, long fired) {
    return new FaultRow(kind, runs, fired, null, null, null, null, null);
  }
}
