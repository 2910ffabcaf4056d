package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;

/** V2: every record of a committed transaction reaches each reader that passes its offset. */
public final class LostWrite implements Check {
  @Override
  public String id() {
    return "V2";
  }

  @Override
  public Verdict check(History history) {
    return Reach.check(history, Transactions.Fate.COMMITTED, "committed", Isolation.READ_COMMITTED);
  }
}
