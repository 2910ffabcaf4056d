package io.fencepost.testkit.history;

import java.util.List;

/**
 * L7: compaction and retention remove nothing at or above the last stable offset, no newest record
 * of a key, no marker whose data is still there, and no live producer's last sequence.
 *
 * <p>Each of these needs evidence of its own that something was removed: it counts what could have
 * been lost, and without any the whole is vacuous.
 */
public final class SafeRemoval implements Check {
  private static final List<Check> PARTS =
      List.of(
          new StartBelowStable(),
          new StandingRecords(),
          new NewestOfKey(),
          new TrimmedTail(),
          new NeededMarkers(),
          new LastSequences());

  @Override
  public String id() {
    return "L7";
  }

  @Override
  public Verdict check(History history) {
    boolean isVacuous = false;
    long occasions = 0;
    for (Check part : PARTS) {
      Verdict verdict = part.check(history);
      if (verdict instanceof Verdict.Fail) {
        return verdict;
      }
      isVacuous |= verdict instanceof Verdict.Vacuous;
      occasions += verdict instanceof Verdict.Pass pass ? pass.occasions() : 0;
    }
    return isVacuous ? new Verdict.Vacuous() : new Verdict.Pass(occasions);
  }
}
