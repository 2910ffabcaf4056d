package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Sent;
import io.fencepost.testkit.history.Event.Took;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  public List<Class<? extends Event>> needs() {
    return List.of(Sent.class, Took.class);
  }

  @Override
  public String occasions() {
    return "transactions that read of a client which then read of them";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    Graph graph = new Graph();
    for (Took took : history.all(Took.class)) {
      String writer = transactions.transactionOf(took);
      if (writer != null) {
        graph.add(writer, took);
      }
    }
    List<Took> cycle = graph.cycle();
    if (!cycle.isEmpty()) {
      List<Event> witness = new ArrayList<>();
      for (Took took : cycle) {
        witness.add(Objects.requireNonNull(transactions.originOf(took)));
        witness.add(took);
      }
      return Verdict.broken(
          cycle.size() == 1
              ? "it took what itself had written"
              : "%d transactions took of each other".formatted(cycle.size()),
          witness.toArray(Event[]::new));
    }
    return Verdict.passed(graph.betweenCount());
  }

  /** Who took of whom. */
  private static final class Graph {
    /** Beyond so many steps the shortest cycle found so far is good enough. */
    private static final long STEPS_MAX = 20_000_000;

    private final LinkedHashMap<String, LinkedHashSet<String>> readers = new LinkedHashMap<>();
    private final LinkedHashMap<String, LinkedHashMap<String, Took>> writers =
        new LinkedHashMap<>();
    private long steps;

    void add(String writer, Took took) {
      readers.computeIfAbsent(writer, w -> new LinkedHashSet<>()).add(took.transaction());
      writers
          .computeIfAbsent(took.transaction(), r -> new LinkedHashMap<>())
          .putIfAbsent(writer, took);
    }

    private LinkedHashMap<String, Took> writersOf(String reader) {
      return writers.getOrDefault(reader, new LinkedHashMap<>());
    }

    private LinkedHashSet<String> readersOf(String writer) {
      return readers.getOrDefault(writer, new LinkedHashSet<>());
    }

    /** The shortest; empty if there is none. */
    List<Took> cycle() {
      LinkedHashSet<String> tied = tied();
      List<Took> shortest = List.of();
      for (String start : tied) {
        if (shortest.size() == 1 || (steps > STEPS_MAX && !shortest.isEmpty())) {
          break;
        }
        List<Took> found = cycleBy(start, tied, shortest.size());
        shortest = found.isEmpty() ? shortest : found;
      }
      return shortest;
    }

    /** What is left when all that depends on nothing that is left is taken away, over and over. */
    private LinkedHashSet<String> tied() {
      LinkedHashMap<String, Integer> owed = new LinkedHashMap<>();
      writers.forEach((reader, of) -> owed.put(reader, of.size()));
      ArrayDeque<String> free = new ArrayDeque<>();
      readers.keySet().stream().filter(name -> !owed.containsKey(name)).forEach(free::add);
      while (!free.isEmpty()) {
        for (String reader : readersOf(free.remove())) {
          if (owed.merge(reader, -1, Integer::sum) == 0) {
            owed.remove(reader);
            free.add(reader);
          }
        }
      }
      return new LinkedHashSet<>(owed.keySet());
    }

    /**
     * Goes back from one, each at most once, until it is there again.
     *
     * @param below a cycle is wanted that is shorter than this; 0 for any
     */
    private List<Took> cycleBy(String start, LinkedHashSet<String> tied, int below) {
      LinkedHashMap<String, Took> cameBy = new LinkedHashMap<>();
      List<String> level = List.of(start);
      for (int depth = 1; !level.isEmpty() && (below == 0 || depth < below); depth++) {
        List<String> next = new ArrayList<>();
        for (String reader : level) {
          for (Map.Entry<String, Took> edge : writersOf(reader).entrySet()) {
            steps++;
            String writer = edge.getKey();
            if (tied.contains(writer) && cameBy.putIfAbsent(writer, edge.getValue()) == null) {
              if (writer.equals(start)) {
                return back(start, cameBy);
              }
              next.add(writer);
            }
          }
        }
        level = next;
      }
      return List.of();
    }

    private static List<Took> back(String start, LinkedHashMap<String, Took> cameBy) {
      List<Took> cycle = new ArrayList<>();
      String now = start;
      do {
        Took took = Objects.requireNonNull(cameBy.get(now));
        cycle.add(took);
        now = took.transaction();
      } while (!now.equals(start));
      return cycle;
    }

    long betweenCount() {
      return writers.keySet().stream().filter(this::isBetween).count();
    }

    private boolean isBetween(String transaction) {
      TreeSet<String> later = clients(readersOf(transaction));
      later.retainAll(clients(writersOf(transaction).keySet()));
      later.remove(Transactions.clientOf(transaction));
      return !later.isEmpty();
    }

    private static TreeSet<String> clients(Collection<String> transactions) {
      TreeSet<String> clients = new TreeSet<>();
      transactions.forEach(name -> clients.add(Transactions.clientOf(name)));
      return clients;
    }
  }
}
