package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Probed;
import io.fencepost.testkit.history.Event.Read;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
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
  public List<Class<? extends Event>> needs() {
    return List.of(Probed.class, Read.class);
  }

  @Override
  public String occasions() {
    return "reads that began in the middle";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, TreeMap<Long, Read>> byReader = new TreeMap<>();
    TreeMap<TopicPartition, TreeMap<Long, Read>> all = new TreeMap<>();
    for (Read read : history.all(Read.class)) {
      if (read.isolation() != Isolation.READ_COMMITTED) {
        continue;
      }
      boolean isProbe = read.reader().startsWith(Probed.PREFIX);
      (isProbe
              ? byReader.computeIfAbsent(read.reader(), r -> new TreeMap<>())
              : all.computeIfAbsent(read.partition(), p -> new TreeMap<>()))
          .put(read.offset(), read);
    }
    long occasions = 0;
    for (Probed probed : history.all(Probed.class)) {
      occasions++;
      SortedMap<Long, Read> expected =
          all.getOrDefault(probed.partition(), new TreeMap<>())
              .subMap(probed.fromOffset(), probed.toOffset());
      TreeMap<Long, Read> seen = byReader.getOrDefault(probed.reader(), new TreeMap<>());
      for (Map.Entry<Long, Read> entry : seen.entrySet()) {
        Read other = expected.get(entry.getKey());
        if (other == null) {
          return Verdict.unfinished(
              "who began in the middle was handed what no other was", entry.getValue(), probed);
        }
        if (!other.value().equals(entry.getValue().value())) {
          return Verdict.broken(
              "who began in the middle was handed another record", other, entry.getValue(), probed);
        }
      }
      for (Map.Entry<Long, Read> entry : expected.entrySet()) {
        if (!seen.containsKey(entry.getKey())) {
          return Verdict.missing(
              "who began in the middle was not handed this", entry.getValue(), probed);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
