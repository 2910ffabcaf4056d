package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import java.util.TreeSet;

/** V6: read_committed returns nothing whose commit was not asked for before. */
public final class EarlyRead implements Check {
  @Override
  public String id() {
    return "V6";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    TreeSet<String> asked = new TreeSet<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof EndAsked it && it.commit()) {
        asked.add(it.transaction());
      } else if (event instanceof Read it && it.isolation() == Isolation.READ_COMMITTED) {
        occasions++;
        String transaction = transactions.transactionOf(it.value());
        if (transaction != null && !asked.contains(transaction)) {
          return new Verdict.Fail(
              "the commit of %s was not asked for when %s".formatted(transaction, it));
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
