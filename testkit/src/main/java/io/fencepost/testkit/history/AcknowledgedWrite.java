package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Sent;

/** L6: an acknowledged record is in the log, for a read_uncommitted reader that passed it. */
public final class AcknowledgedWrite implements Check {
  @Override
  public String id() {
    return "L6";
  }

  @Override
  public Verdict check(History history) {
    ReaderViews views = ReaderViews.of(history, Isolation.READ_UNCOMMITTED);
    long occasions = 0;
    for (Sent sent : history.all(Sent.class)) {
      if (sent.outcome() != Outcome.OK) {
        continue;
      }
      for (String reader : views.readers()) {
        if (views.passed(reader, sent.partition(), sent.offset())) {
          occasions++;
          if (!views.saw(reader, sent.value())) {
            return new Verdict.Fail(
                "%s was acknowledged, and %s went past it without it".formatted(sent, reader));
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
