package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Bounds;
import io.fencepost.testkit.history.Event.Cleanup.Policy;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Remnant;
import io.fencepost.testkit.history.Event.Scanned;
import io.fencepost.testkit.history.Event.Sent;
import io.fencepost.testkit.history.Event.Sequenced;
import io.fencepost.testkit.history.Event.Stood;
import java.util.List;
import java.util.SortedSet;

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
  public List<Class<? extends Event>> needs() {
    return List.of(
        Bounds.class,
        Stood.class,
        Read.class,
        Sent.class,
        Scanned.class,
        Sequenced.class,
        Remnant.class);
  }

  @Override
  public String occasions() {
    return "removals";
  }

  @Override
  public Verdict check(History history) {
    Check vacuous = null;
    long occasions = 0;
    SortedSet<Policy> policies = Shrinking.of(history).policies();
    for (Check part : PARTS) {
      Verdict verdict = part.check(history);
      if (verdict instanceof Verdict.Fail || verdict instanceof Verdict.Unknown) {
        return verdict;
      }
      if (verdict instanceof Verdict.Vacuous && isOf(policies, part) && vacuous == null) {
        vacuous = part;
      }
      occasions += verdict instanceof Verdict.Pass pass ? pass.occasions() : 0;
    }
    if (vacuous == null) {
      return new Verdict.Pass(occasions);
    }
    return needs().stream().allMatch(history::has)
        ? new Verdict.Vacuous("there are no " + vacuous.occasions())
        : new Verdict.Vacuous("");
  }

  /** Whether logs lose records in the way that this part is about. */
  private static boolean isOf(SortedSet<Policy> policies, Check part) {
    if (part instanceof StartBelowStable || part instanceof TrimmedTail) {
      return policies.contains(Policy.DELETE);
    }
    return !(part instanceof NewestOfKey) || policies.contains(Policy.COMPACT);
  }
}
