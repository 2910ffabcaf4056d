package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Took;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * V7: no transaction read, under read_committed, what itself or a transaction that read of it
 * wrote. A cycle needs clients that read of each other: counts the transactions that read of a
 * client which then read of them.
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
    TreeMap<String, TreeSet<String>> writers = new TreeMap<>();
    for (Took took : history.all(Took.class)) {
      String writer = transactions.transactionOf(took.value());
      if (writer != null) {
        readers.computeIfAbsent(writer, w -> new TreeSet<>()).add(took.transaction());
        writers.computeIfAbsent(took.transaction(), r -> new TreeSet<>()).add(writer);
      }
    }
    TreeSet<String> tied = tied(readers, writers);
    if (!tied.isEmpty()) {
      return new Verdict.Fail("these read of each other: " + cycle(tied, writers));
    }
    return Verdict.passed(
        writers.keySet().stream().filter(name -> isBetween(name, readers, writers)).count());
  }

  /** What is left when all that depends on nothing that is left is taken away, over and over. */
  private static TreeSet<String> tied(
      TreeMap<String, TreeSet<String>> readers, TreeMap<String, TreeSet<String>> writers) {
    TreeMap<String, Integer> owed = new TreeMap<>();
    writers.forEach((reader, of) -> owed.put(reader, of.size()));
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
    return new TreeSet<>(owed.keySet());
  }

  /** Each that is left read of one that is left: going back from any ends in a cycle. */
  private static List<String> cycle(
      TreeSet<String> tied, TreeMap<String, TreeSet<String>> writers) {
    List<String> path = new ArrayList<>();
    String now = tied.first();
    while (!path.contains(now)) {
      path.add(now);
      now =
          writers.getOrDefault(now, new TreeSet<>()).stream()
              .filter(tied::contains)
              .findFirst()
              .orElseThrow();
    }
    return path.subList(path.indexOf(now), path.size());
  }

  private static boolean isBetween(
      String transaction,
      TreeMap<String, TreeSet<String>> readers,
      TreeMap<String, TreeSet<String>> writers) {
    TreeSet<String> later = clients(readers.getOrDefault(transaction, new TreeSet<>()));
    later.retainAll(clients(writers.getOrDefault(transaction, new TreeSet<>())));
    later.remove(Transactions.clientOf(transaction));
    return !later.isEmpty();
  }

  private static TreeSet<String> clients(TreeSet<String> transactions) {
    TreeSet<String> clients = new TreeSet<>();
    transactions.forEach(name -> clients.add(Transactions.clientOf(name)));
    return clients;
  }
}
