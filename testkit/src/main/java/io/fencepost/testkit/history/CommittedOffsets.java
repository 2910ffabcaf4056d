package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.OffsetSeen;
import java.util.List;
import java.util.TreeMap;

/** P3: a committed offset never moves back. One observer asks, one question after the other. */
public final class CommittedOffsets implements Check {
  @Override
  public String id() {
    return "P3";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(OffsetSeen.class);
  }

  @Override
  public String occasions() {
    return "committed offsets that were read twice";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, OffsetSeen> last = new TreeMap<>();
    long occasions = 0;
    for (OffsetSeen seen : history.all(OffsetSeen.class)) {
      OffsetSeen before = last.put(seen.group() + " " + seen.partition(), seen);
      if (before != null) {
        occasions++;
        if (seen.offset() < before.offset()) {
          return Verdict.broken("the committed offset moved back", before, seen);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
