package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;

/** V8: read_uncommitted does return the records of transactions that were aborted. */
public final class AbortedShown implements Check {
  @Override
  public String id() {
    return "V8";
  }

  @Override
  public Verdict check(History history) {
    return Reach.check(history, Transactions.Fate.ABORTED, "aborted", Isolation.READ_UNCOMMITTED);
  }
}
