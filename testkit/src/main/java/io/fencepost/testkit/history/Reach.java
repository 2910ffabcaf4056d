package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
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
    Transactions transactions = history.transactions();
    ReaderViews views = history.views(isolation);
    long occasions = 0;
    for (String name : transactions.names()) {
      if (transactions.fate(name) != fate) {
        continue;
      }
      for (Sent sent : transactions.sentIn(name)) {
        if (sent.outcome() != Outcome.OK) {
          continue;
        }
        for (Passed passed : views.passing(sent.partition(), sent.offset())) {
          occasions++;
          if (views.sight(passed.reader(), sent.value()) == null) {
            return Verdict.missing(
                "%s was %s, and %s passed its record without it"
                    .formatted(name, ended, passed.reader()),
                transactions.withEnd(name, sent, passed));
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
