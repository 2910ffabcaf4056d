package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Took;
import java.util.ArrayDeque;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * V7: no transaction read, under read_committed, what itself or a transaction that read of it
 * wrote. Only a transaction that was read and that read itself can be part of a cycle.
 */
public final class DependencyCycle implements Check {
  @Override
  public String id() {
    return "V7";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = Transactions.of(history);
    TreeMap<String, TreeSet<String>> readers = new TreeMap<>();
    TreeMap<String, Integer> owed = new TreeMap<>();
    for (Took took : history.all(Took.class)) {
      String writer = transactions.transactionOf(took.value());
      if (writer != null
          && readers.computeIfAbsent(writer, w -> new TreeSet<>()).add(took.transaction())) {
        owed.merge(took.transaction(), 1, Integer::sum);
      }
    }
    long occasions = owed.keySet().stream().filter(readers::containsKey).count();
    ArrayDeque<String> free = new ArrayDeque<>();
    readers.keySet().stream().filter(name -> !owed.containsKey(name)).forEach(free::add);
    while (!free.isEmpty()) {
      for (String reader : readers.getOrDefault(free.remove(), new TreeSet<>())) {
        if (owed.merge(reader, -1, Integer::sum) == 0) {
          owed.remove(reader);
          free.add(reader);
        }
      }
    }
    return owed.isEmpty()
        ? Verdict.passed(occasions)
        : new Verdict.Fail("these read of each other: " + owed.keySet());
  }
}
