package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.StaleStaged;
import java.util.List;

/** C11: offsets of a member that its group has given up are refused inside transactions. */
public final class StaleMember implements Check {
  @Override
  public String id() {
    return "C11";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(StaleStaged.class);
  }

  @Override
  public String occasions() {
    return "offsets of members that were given up";
  }

  @Override
  public Verdict check(History history) {
    long occasions = 0;
    for (StaleStaged stale : history.all(StaleStaged.class)) {
      occasions++;
      if (stale.outcome() == Outcome.OK) {
        return Verdict.broken("a stale member's offsets were taken", stale);
      }
    }
    return Verdict.passed(occasions);
  }
}
