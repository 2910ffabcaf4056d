package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Sent;

/**
 * V3: of a transaction's records, a reader that passed them all saw all or none, also where nobody
 * knows whether it was committed.
 */
public final class AllOrNothing implements Check {
  @Override
  public String id() {
    return "V3";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    ReaderViews views = ReaderViews.of(history, Isolation.READ_COMMITTED);
    long occasions = 0;
    for (String name : transactions.names()) {
      for (String reader : views.readers()) {
        String seen = null;
        String missed = null;
        for (Sent sent : transactions.sentIn(name)) {
          if (sent.outcome() != Outcome.OK
              || !views.passed(reader, sent.partition(), sent.offset())) {
            continue;
          }
          occasions++;
          if (views.saw(reader, sent.value())) {
            seen = sent.value();
          } else {
            missed = sent.value();
          }
        }
        if (seen != null && missed != null) {
          return new Verdict.Fail(
              "of %s, %s saw %s and not %s".formatted(name, reader, seen, missed));
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
