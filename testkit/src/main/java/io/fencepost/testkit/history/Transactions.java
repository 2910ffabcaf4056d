package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.EndAsked;
import io.fencepost.testkit.history.Event.Ended;
import io.fencepost.testkit.history.Event.Sent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The transactions of a history: what was sent in each, and what is known of its end. */
final class Transactions {
  /** What the history allows to say about the end of a transaction. */
  enum Fate {
    COMMITTED,
    ABORTED,
    /** A commit was asked for and its outcome is not known. */
    UNKNOWN
  }

  private final Map<String, List<Sent>> sent = new LinkedHashMap<>();
  private final Map<String, Fate> fates = new LinkedHashMap<>();
  private final Map<String, String> transactionOfValue = new LinkedHashMap<>();

  private Transactions() {}

  static Transactions of(History history) {
    Transactions transactions = new Transactions();
    TreeSet<String> commitAsked = new TreeSet<>();
    for (Event event : history.events()) {
      if (event instanceof Sent it) {
        transactions.sent.computeIfAbsent(it.transaction(), t -> new ArrayList<>()).add(it);
        transactions.transactionOfValue.put(it.value(), it.transaction());
      } else if (event instanceof EndAsked it && it.commit()) {
        commitAsked.add(it.transaction());
      } else if (event instanceof Ended it) {
        transactions.end(it);
      }
    }
    for (String name : commitAsked) {
      transactions.fates.putIfAbsent(name, Fate.UNKNOWN);
    }
    return transactions;
  }

  private void end(Ended ended) {
    switch (ended.outcome()) {
      case OK -> fates.put(ended.transaction(), ended.commit() ? Fate.COMMITTED : Fate.ABORTED);
      case FAILED -> fates.put(ended.transaction(), Fate.ABORTED);
      case UNKNOWN -> {
        if (!ended.commit()) {
          fates.put(ended.transaction(), Fate.ABORTED);
        }
      }
    }
  }

  /** Whose transaction it is: names are {@code session/number}. */
  static String sessionOf(String transaction) {
    int slash = transaction.lastIndexOf('/');
    return slash < 0 ? transaction : transaction.substring(0, slash);
  }

  /** Whose session it was: sessions are {@code client.number}. */
  static String clientOf(String transaction) {
    String session = sessionOf(transaction);
    int dot = session.lastIndexOf('.');
    return dot < 0 ? session : session.substring(0, dot);
  }

  Iterable<String> names() {
    return sent.keySet();
  }

  /** All records of the transaction, whatever became of them. */
  List<Sent> sentIn(String transaction) {
    return sent.getOrDefault(transaction, List.of());
  }

  /** A transaction whose commit nobody asked for counts as aborted: its timeout ends it. */
  Fate fate(String transaction) {
    return fates.getOrDefault(transaction, Fate.ABORTED);
  }

  @Nullable String transactionOf(String value) {
    return transactionOfValue.get(value);
  }
}
