package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Finished;
import io.fencepost.testkit.history.Event.Trouble;
import java.util.List;

/** E1: once faults stop, all that was begun comes to its end, and no client meets a trouble. */
public final class EverythingEnds implements Check {
  @Override
  public String id() {
    return "E1";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Finished.class);
  }

  @Override
  public String occasions() {
    return "runs that came to their end";
  }

  @Override
  public Verdict check(History history) {
    List<Trouble> troubles = history.all(Trouble.class);
    if (!troubles.isEmpty()) {
      return Verdict.broken(
          troubles.size() == 1
              ? "a trouble"
              : "the first of %d troubles".formatted(troubles.size()),
          troubles.get(0));
    }
    return Verdict.passed(history.all(Finished.class).size());
  }
}
