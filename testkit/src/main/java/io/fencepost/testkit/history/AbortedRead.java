package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;

/** V1: read_committed never returns a record of a transaction that was aborted. */
public final class AbortedRead implements Check {
  @Override
  public String id() {
    return "V1";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    boolean someAborted = false;
    for (String name : transactions.names()) {
      someAborted |= transactions.fate(name) == Transactions.Fate.ABORTED;
    }
    long occasions = 0;
    for (Read read : history.all(Read.class)) {
      if (read.isolation() != Isolation.READ_COMMITTED) {
        continue;
      }
      occasions++;
      String transaction = transactions.transactionOf(read.value());
      if (transaction == null) {
        return new Verdict.Fail("nobody sent what was read: " + read);
      }
      if (transactions.fate(transaction) == Transactions.Fate.ABORTED) {
        return new Verdict.Fail("%s was aborted, and still: %s".formatted(transaction, read));
      }
    }
    return Verdict.passed(someAborted ? occasions : 0);
  }
}
