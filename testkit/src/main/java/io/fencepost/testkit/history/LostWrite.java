package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Sent;

/** V2: every record of a committed transaction reaches each reader that passes its offset. */
public final class LostWrite implements Check {
  @Override
  public String id() {
    return "V2";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    ReaderViews views = ReaderViews.of(history, Isolation.READ_COMMITTED);
    long occasions = 0;
    for (String name : transactions.names()) {
      if (transactions.fate(name) != Transactions.Fate.COMMITTED) {
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
                  "%s was committed, and %s went past %s without it".formatted(name, reader, sent));
            }
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
