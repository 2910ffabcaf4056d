package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Probed;
import io.fencepost.testkit.history.Event.Read;
import java.util.TreeMap;

/**
 * L5: who begins to read committed records in the middle of a batch or transaction is handed the
 * same as who came from the start: each answer named the aborted transactions of its range.
 */
public final class MidwayReads implements Check {
  @Override
  public String id() {
    return "L5";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, TreeMap<Long, String>> byReader = new TreeMap<>();
    TreeMap<TopicPartition, TreeMap<Long, String>> all = new TreeMap<>();
    for (Read read : history.all(Read.class)) {
      if (read.isolation() != Isolation.READ_COMMITTED) {
        continue;
      }
      boolean isProbe = read.reader().startsWith(Probed.PREFIX);
      (isProbe
              ? byReader.computeIfAbsent(read.reader(), r -> new TreeMap<>())
              : all.computeIfAbsent(read.partition(), p -> new TreeMap<>()))
          .put(read.offset(), read.value());
    }
    long occasions = 0;
    for (Probed probed : history.all(Probed.class)) {
      TreeMap<Long, String> expected =
          new TreeMap<>(
              all.getOrDefault(probed.partition(), new TreeMap<>())
                  .subMap(probed.fromOffset(), probed.toOffset()));
      TreeMap<Long, String> seen = byReader.getOrDefault(probed.reader(), new TreeMap<>());
      occasions++;
      if (!seen.equals(expected)) {
        return new Verdict.Fail(
            "%s was handed %d records, and a reader from the start %d; first difference at %d"
                .formatted(probed, seen.size(), expected.size(), difference(seen, expected)));
      }
    }
    return Verdict.passed(occasions);
  }

  private static long difference(TreeMap<Long, String> one, TreeMap<Long, String> other) {
    TreeMap<Long, String> both = new TreeMap<>(one);
    both.putAll(other);
    for (long offset : both.keySet()) {
      String value = one.get(offset);
      if (value == null || !value.equals(other.get(offset))) {
        return offset;
      }
    }
    return -1;
  }
}
