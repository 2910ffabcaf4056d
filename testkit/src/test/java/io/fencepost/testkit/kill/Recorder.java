package io.fencepost.testkit.kill;

import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A history that several threads write, and what went wrong in them. */
final class Recorder {
  private final History history = new History();
  private final Map<Class<?>, Integer> counts = new HashMap<>();
  private final List<String> troubles = new ArrayList<>();

  synchronized void add(Event event) {
    history.add(event);
    counts.merge(event.getClass(), 1, Integer::sum);
  }

  /** Something that no client should meet. */
  synchronized void trouble(String what) {
    troubles.add(what);
  }

  synchronized List<String> troubles() {
    return List.copyOf(troubles);
  }

  synchronized int count(Class<? extends Event> kind) {
    return counts.getOrDefault(kind, 0);
  }

  synchronized Map<String, Verdict> verdicts() {
    Map<String, Verdict> verdicts = new LinkedHashMap<>();
    for (Check check : Check.all()) {
      verdicts.put(check.id(), check.check(history));
    }
    return verdicts;
  }
}
