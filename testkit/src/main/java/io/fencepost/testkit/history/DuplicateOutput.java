package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Read;
import java.util.TreeMap;

/** V4: a value that was sent once, however often it was retried, stands at one offset. */
public final class DuplicateOutput implements Check {
  @Override
  public String id() {
    return "V4";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Read> first = new TreeMap<>();
    long occasions = 0;
    for (Read read : history.all(Read.class)) {
      occasions++;
      Read before = first.putIfAbsent(read.value(), read);
      if (before != null
          && (before.offset() != read.offset() || !before.partition().equals(read.partition()))) {
        return new Verdict.Fail("one value at two places: " + before + " and " + read);
      }
    }
    return Verdict.passed(occasions);
  }
}
