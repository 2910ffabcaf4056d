package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Read;
import java.util.LinkedHashMap;
import java.util.List;

/** V4: a value that was sent once, however often it was retried, stands at one offset. */
public final class DuplicateOutput implements Check {
  @Override
  public String id() {
    return "V4";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Read.class);
  }

  @Override
  public String occasions() {
    return "records that were read, of values that were sent once at most";
  }

  @Override
  public Verdict check(History history) {
    Transactions transactions = history.transactions();
    LinkedHashMap<String, Read> first = new LinkedHashMap<>();
    long occasions = 0;
    for (Read read : history.all(Read.class)) {
      if (transactions.isRepeated(read.value())) {
        continue;
      }
      occasions++;
      Read before = first.putIfAbsent(read.value(), read);
      if (before != null
          && (before.offset() != read.offset() || !before.partition().equals(read.partition()))) {
        return Verdict.broken("one value stands at two places", before, read);
      }
    }
    return Verdict.passed(occasions);
  }
}
