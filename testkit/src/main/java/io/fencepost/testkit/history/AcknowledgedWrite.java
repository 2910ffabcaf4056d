package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;

/** L6: an acknowledged record is in the log, for a read_uncommitted reader that passed it. */
public final class AcknowledgedWrite implements Check {
  @Override
  public String id() {
    return "L6";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Passed.class);
  }

  @Override
  public String occasions() {
    return "acknowledged records that a read_uncommitted reader passed";
  }

  @Override
  public Verdict check(History history) {
    ReaderViews views = history.views(Isolation.READ_UNCOMMITTED);
    long occasions = 0;
    for (Sent sent : history.all(Sent.class)) {
      if (sent.outcome() != Outcome.OK) {
        continue;
      }
      for (Passed passed : views.passing(sent.partition(), sent.offset())) {
        occasions++;
        if (views.sight(passed.reader(), sent.value()) == null) {
          return Verdict.missing(
              "it was acknowledged, and %s passed it without it".formatted(passed.reader()),
              sent,
              passed);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
