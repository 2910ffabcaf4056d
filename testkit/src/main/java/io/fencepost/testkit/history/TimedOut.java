package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Overdue;
import java.util.List;

/** C12: a transaction that was left open beyond its timeout is not committed any more. */
public final class TimedOut implements Check {
  @Override
  public String id() {
    return "C12";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Overdue.class);
  }

  @Override
  public String occasions() {
    return "commits after the timeout";
  }

  @Override
  public Verdict check(History history) {
    long occasions = 0;
    for (Overdue overdue : history.all(Overdue.class)) {
      occasions++;
      if (overdue.outcome() == Outcome.OK) {
        return Verdict.broken("it was committed after its timeout", overdue);
      }
    }
    return Verdict.passed(occasions);
  }
}
