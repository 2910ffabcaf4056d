package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.List;
import java.util.Objects;

/**
 * V1: read_committed never returns a record of a transaction that was aborted. Records of topics to
 * which nobody in the history sent come from elsewhere.
 */
public final class AbortedRead implements Check {
  @Override
  public String id() {
    return "V1";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Read.class);
  }

  @Override
  public String occasions() {
    return "records read under read_committed beside an aborted transaction";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    long occasions = 0;
    for (Read read : history.all(Read.class)) {
      if (read.isolation() != Isolation.READ_COMMITTED) {
        continue;
      }
      String transaction = transactions.transactionOf(read);
      if (transaction == null) {
        Event other = transactions.firstTo(read.partition().topic());
        if (other == null || transactions.isRepeated(read.value())) {
          continue;
        }
        return Verdict.missing("others sent to this topic, and nobody what was read", other, read);
      }
      occasions++;
      if (transactions.fate(transaction) == Transactions.Fate.ABORTED) {
        return aborted(transactions, transaction, read);
      }
    }
    return Verdict.passed(transactions.someAborted() ? occasions : 0);
  }

  private static Verdict aborted(Transactions transactions, String transaction, Read read) {
    Event[] witness =
        transactions.withEnd(
            transaction, read, Objects.requireNonNull(transactions.originOf(read)));
    // Without an end it counts as aborted because nobody asked for one.
    return witness.length == 2
        ? Verdict.missing(
            "nobody asked for the commit of %s, and still it was read".formatted(transaction),
            witness)
        : Verdict.broken("%s was aborted, and still it was read".formatted(transaction), witness);
  }
}
