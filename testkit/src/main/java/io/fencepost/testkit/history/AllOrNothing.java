package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Passed;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Passed.class);
  }

  @Override
  public String occasions() {
    return "records of transactions that a read_committed reader passed";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    ReaderViews views = history.views(Isolation.READ_COMMITTED);
    long occasions = 0;
    for (String name : transactions.names()) {
      for (Sent sent : transactions.sentIn(name)) {
        if (sent.outcome() != Outcome.OK) {
          continue;
        }
        for (Passed passed : views.passing(sent.partition(), sent.offset())) {
          occasions++;
          if (views.sight(passed.reader(), sent.value()) == null) {
            Verdict torn = torn(transactions, views, sent, passed);
            if (torn != null) {
              return torn;
            }
          }
        }
      }
    }
    return Verdict.passed(occasions);
  }

  private static @Nullable Verdict torn(
      Transactions transactions, ReaderViews views, Sent missed, Passed passed) {
    for (Sent other : transactions.sentIn(missed.transaction())) {
      Read seen = views.sight(passed.reader(), other.value());
      if (seen != null && other.transaction().equals(transactions.transactionOf(seen))) {
        return Verdict.missing(
            "of %s, %s saw one record and not another"
                .formatted(missed.transaction(), passed.reader()),
            other,
            seen,
            missed,
            passed);
      }
    }
    return null;
  }
}
