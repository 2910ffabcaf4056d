package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** P3: committed offsets as they were seen one after another. */
public final class OffsetWatch {
  private final boolean isStrict;
  private final TreeMap<String, Long> highest = new TreeMap<>();
  private final LinkedHashSet<String> backwards = new LinkedHashSet<>();
  private final TreeSet<String> moved = new TreeSet<>();
  private long looks;

  /**
   * Nothing seen yet.
   *
   * @param isStrict whether each look must be as new as the one before. A coordinator that is cut
   *     off answers with what it knew until it hears of its successor; nobody can commit by that,
   *     as the successor knows no such member.
   */
  public OffsetWatch(boolean isStrict) {
    this.isStrict = isStrict;
  }

  /** Another look. */
  public void see(SortedMap<String, Long> committed) {
    if (isStrict) {
      compare(committed);
    }
    looks++;
    committed.forEach((partition, offset) -> highest.merge(partition, offset, Math::max));
  }

  private void compare(SortedMap<String, Long> committed) {
    highest.forEach(
        (partition, before) -> {
          Long offset = committed.get(partition);
          if (offset == null || offset < before) {
            backwards.add(partition + " was committed at " + before + ", then at " + offset);
            moved.add(partition);
          }
        });
  }

  /** By what is committed now that nothing is broken any more. */
  public Verdict verdict(SortedMap<String, Long> settled) {
    return verdict(settled, Evidence.NONE);
  }

  Verdict verdict(SortedMap<String, Long> settled, Evidence evidence) {
    compare(settled);
    if (backwards.isEmpty()) {
      return Verdict.passed(looks);
    }
    List<Event> events = new ArrayList<>();
    moved.forEach(partition -> events.addAll(evidence.aboutPartition(partition)));
    return Verdict.broken(String.join("; ", backwards), events.toArray(Event[]::new));
  }
}
