package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Sent;

/** V8: read_uncommitted does return the records of transactions that were aborted. */
public final class AbortedShown implements Check {
  @Override
  public String id() {
    return "V8";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    ReaderViews views = ReaderViews.of(history, Isolation.READ_UNCOMMITTED);
    long occasions = 0;
    for (String name : transactions.names()) {
      if (transactions.fate(name) != Transactions.Fate.ABORTED) {
        continue;
      }
      for (Sent sent : transactions.sentIn(name)) {
        if (sent.outcome() != Outcome.OK) {
          continue;
        }
        for (String reader : views.readers()) {
          if (views.passed(reader, sent.partition(), sent.offset())) {
            occasions++;
            if (!views.saw(reader, sent.value())) {
              return new Verdict.Fail(
                  "%s was aborted, and %s went past %s without it".formatted(name, reader, sent));
            }
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
