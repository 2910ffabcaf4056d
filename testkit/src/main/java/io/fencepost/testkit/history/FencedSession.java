package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Opened;
import io.fencepost.testkit.history.Event.Read;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * C10: once a successor has its epoch, no commit that an older session asks for is acknowledged or
 * becomes visible.
 */
public final class FencedSession implements Check {
  @Override
  public String id() {
    return "C10";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    TreeMap<String, String> owner = new TreeMap<>();
    TreeSet<String> fenced = new TreeSet<>();
    TreeSet<String> tooLate = new TreeSet<>();
    for (Event event : history.events()) {
      if (event instanceof Opened it) {
        String before = owner.put(it.transactionalId(), it.session());
        if (before != null && !before.equals(it.session())) {
          fenced.add(before);
        }
      } else if (event instanceof EndAsked it
          && it.commit()
          && fenced.contains(Transactions.sessionOf(it.transaction()))) {
        tooLate.add(it.transaction());
      } else if (event instanceof Ended it
          && it.commit()
          && it.outcome() == Outcome.OK
          && tooLate.contains(it.transaction())) {
        return new Verdict.Fail("its session was fenced before it was asked for: " + it);
      }
    }
    for (Read read : history.all(Read.class)) {
      String transaction = transactions.transactionOf(read.value());
      if (read.isolation() == Isolation.READ_COMMITTED
          && transaction != null
          && tooLate.contains(transaction)) {
        return new Verdict.Fail("its session was fenced before its commit: " + read);
      }
    }
    return Verdict.passed(tooLate.size());
  }
}
