package io.fencepost.testkit.junit;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What was checked in a run, and what is wrong. Not thread-safe. */
final class Findings {
  private final List<Finding> found = new ArrayList<>();
  private final TreeMap<String, Verdict> held = new TreeMap<>(Verification.BY_ID);

  /** An invariant was looked at on so many occasions. */
  void check(String id, long occasions, List<Finding> wrong) {
    if (wrong.isEmpty()) {
      put(id, Verdict.passed(occasions));
    }
    found.addAll(wrong);
  }

  void add(Finding wrong) {
    found.add(wrong);
  }

  /**
   * What other checks say; a failure of the same invariant that is known already stands for both.
   */
  void addAll(Map<String, Verdict> verdicts) {
    verdicts.forEach(this::put);
  }

  private void put(String id, Verdict verdict) {
    if (verdict instanceof Verdict.Fail fail) {
      if (found.stream().noneMatch(it -> it.id().equals(id))) {
        found.add(new Finding(id, fail.sentence(), fail.events()));
      }
    } else if (verdict.holds()) {
      held.merge(id, verdict, (one, other) -> one instanceof Verdict.Pass ? one : other);
    }
  }

  /** What is wrong, in a sentence each, in the order in which it was found. */
  List<String> sentences() {
    return found.stream().map(Finding::toString).toList();
  }

  /** By the id of the invariant. */
  SortedMap<String, Verdict> verdicts() {
    TreeMap<String, Verdict> verdicts = new TreeMap<>(held);
    verdicts.putAll(violations());
    return verdicts;
  }

  SortedMap<String, Verdict.Fail> violations() {
    TreeMap<String, Verdict.Fail> broken = new TreeMap<>(Verification.BY_ID);
    for (Finding one : found) {
      String sentence = one.sentence().replaceAll("\\n *", "; ");
      broken.merge(
          one.id(),
          new Verdict.Fail(sentence, one.events(), Verdict.Ground.SEEN),
          Findings::together);
    }
    return broken;
  }

  private static Verdict.Fail together(Verdict.Fail one, Verdict.Fail other) {
    List<Event> events = new ArrayList<>(one.events());
    events.addAll(other.events());
    return new Verdict.Fail(one.sentence() + "; " + other.sentence(), events, one.ground());
  }
}
