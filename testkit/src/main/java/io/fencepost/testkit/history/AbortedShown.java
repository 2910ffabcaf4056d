package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;

/** V8: read_uncommitted does return the records of transactions that were aborted. */
public final class AbortedShown implements Check {
  @Override
  public String id() {
    return "V8";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Passed.class);
  }

  @Override
  public String occasions() {
    return "records of aborted transactions that a read_uncommitted reader passed";
  }

  @Override
  public Verdict check(History history) {
    return Reach.check(history, Transactions.Fate.ABORTED, "aborted", Isolation.READ_UNCOMMITTED);
  }
}
