package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
    Set<String> undated = undated(history);
    LinkedHashSet<String> asked = new LinkedHashSet<>();
    Verdict.@Nullable Unknown unknown = null;
    long occasions = 0;
    for (Event event : history.events()) {
      if (event instanceof EndAsked it && it.commit()) {
        asked.add(it.transaction());
      } else if (event instanceof Ended it && it.commit()) {
        asked.add(it.transaction()); // what is answered was asked for
      } else if (event instanceof Read it && it.isolation() == Isolation.READ_COMMITTED) {
        String transaction = transactions.transactionOf(it);
        if (transaction == null || Transactions.isPlain(transaction)) {
          continue;
        }
        occasions++;
        if (asked.contains(transaction)) {
          continue;
        }
        Event origin = Objects.requireNonNull(transactions.originOf(it));
        if (!undated.contains(transaction)) {
          return Verdict.missing(
              "nobody had asked for the commit of %s when it was read".formatted(transaction),
              it,
              origin);
        }
        if (unknown == null) {
          unknown =
              new Verdict.Unknown(
                  "no event says when the commit of %s was asked for, and it was read before that"
                          .formatted(transaction)
                      + " was answered",
                  List.of(transactions.withEnd(transaction, origin, it)));
        }
      }
    }
    return unknown == null ? Verdict.passed(occasions) : unknown;
  }

  /** Transactions whose commit was answered, while no event says when it was asked for. */
  private static Set<String> undated(History history) {
    LinkedHashSet<String> undated = new LinkedHashSet<>();
    for (Ended ended : history.all(Ended.class)) {
      if (ended.commit()) {
        undated.add(ended.transaction());
      }
    }
    for (EndAsked asked : history.all(EndAsked.class)) {
      if (asked.commit()) {
        undated.remove(asked.transaction());
      }
    }
    return undated;
  }
}
