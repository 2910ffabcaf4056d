package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Opened;
import io.fencepost.testkit.history.Event.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/**
 * C10: once a successor has its epoch, no commit that an older session asks for is acknowledged or
 * becomes visible.
 */
public final class FencedSession implements Check {
  @Override
  public String id() {
    return "C10";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Opened.class, EndAsked.class);
  }

  @Override
  public String occasions() {
    return "commits that a fenced session asked for";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    TreeMap<String, Opened> owner = new TreeMap<>();
    TreeMap<String, List<Opened>> fenced = new TreeMap<>();
    TreeMap<String, List<Event>> tooLate = new TreeMap<>();
    for (Event event : history.events()) {
      if (event instanceof Opened it) {
        Opened before = owner.put(it.transactionalId(), it);
        if (before != null && !before.session().equals(it.session())) {
          fenced.putIfAbsent(before.session(), List.of(before, it));
        }
      } else if (event instanceof EndAsked it && it.commit()) {
        List<Opened> sessions = fenced.get(Transactions.sessionOf(it.transaction()));
        if (sessions != null) {
          tooLate.putIfAbsent(it.transaction(), List.of(sessions.get(0), sessions.get(1), event));
        }
      } else if (event instanceof Ended it
          && it.commit()
          && it.outcome() == Outcome.OK
          && tooLate.containsKey(it.transaction())) {
        return broken("and it was acknowledged", tooLate, it.transaction(), it);
      }
    }
    for (Read read : history.all(Read.class)) {
      String transaction = transactions.transactionOf(read);
      if (read.isolation() == Isolation.READ_COMMITTED
          && transaction != null
          && tooLate.containsKey(transaction)) {
        Event origin = Objects.requireNonNull(transactions.originOf(read));
        return broken("and it was read", tooLate, transaction, origin, read);
      }
    }
    return Verdict.passed(tooLate.size());
  }

  private static Verdict broken(
      String what, TreeMap<String, List<Event>> tooLate, String transaction, Event... others) {
    List<Event> witness = new ArrayList<>(tooLate.getOrDefault(transaction, List.of()));
    witness.addAll(List.of(others));
    return Verdict.broken(
        "the commit of %s was asked for after its session was fenced, %s"
            .formatted(transaction, what),
        witness.toArray(Event[]::new));
  }
}
