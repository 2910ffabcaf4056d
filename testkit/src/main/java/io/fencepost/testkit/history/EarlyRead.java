package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/** V6: read_committed returns nothing whose commit was not asked for before. */
public final class EarlyRead implements Check {
  @Override
  public String id() {
    return "V6";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Read.class);
  }

  @Override
  public String occasions() {
    return "records of transactions that were read under read_committed";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    LinkedHashSet<String> asked = new LinkedHashSet<>();
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof EndAsked it && it.commit()) {
        asked.add(it.transaction());
      } else if (event instanceof Read it && it.isolation() == Isolation.READ_COMMITTED) {
        String transaction = transactions.transactionOf(it);
        if (transaction == null || Transactions.isPlain(transaction)) {
          continue;
        }
        occasions++;
        if (!asked.contains(transaction)) {
          return Verdict.missing(
              "nobody had asked for the commit of %s when it was read".formatted(transaction),
              it,
              Objects.requireNonNull(transactions.originOf(it)));
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
