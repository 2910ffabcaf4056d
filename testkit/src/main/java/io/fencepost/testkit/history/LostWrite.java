package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;

/** V2: every record of a committed transaction reaches each reader that passes its offset. */
public final class LostWrite implements Check {
  @Override
  public String id() {
    return "V2";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Passed.class);
  }

  @Override
  public String occasions() {
    return "committed records that a read_committed reader passed";
  }

  @Override
  public Verdict check(History history) {
    return Reach.check(history, Transactions.Fate.COMMITTED, "committed", Isolation.READ_COMMITTED);
  }
}
