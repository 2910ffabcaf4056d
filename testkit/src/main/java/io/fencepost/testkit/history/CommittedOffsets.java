package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.OffsetSeen;
import java.util.TreeMap;

/** P3: a committed offset never moves back. One observer asks, one question after the other. */
public final class CommittedOffsets implements Check {
  @Override
  public String id() {
    return "P3";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Long> highest = new TreeMap<>();
    long occasions = 0;
    for (OffsetSeen seen : history.all(OffsetSeen.class)) {
      Long before = highest.put(seen.group() + " " + seen.partition(), seen.offset());
      if (before != null) {
        occasions++;
        if (seen.offset() < before) {
          return new Verdict.Fail("it was " + before + " before " + seen);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
