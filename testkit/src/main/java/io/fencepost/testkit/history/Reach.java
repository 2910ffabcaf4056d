package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Sent;

/** Whether what was sent reaches each reader that passes its offset. */
final class Reach {
  private Reach() {}

  /**
   * Looks at the records of all transactions that ended in this way.
   *
   * @param ended the fate in words
   */
  static Verdict check(History history, Transactions.Fate fate, String ended, Isolation isolation) {
    Transactions transactions = Transactions.of(history);
    ReaderViews views = ReaderViews.of(history, isolation);
    long occasions = 0;
    for (String name : transactions.names()) {
      if (transactions.fate(name) != fate) {
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
                  "%s was %s, and %s went past %s without it".formatted(name, ended, reader, sent));
            }
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
