package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Scanned;
import io.fencepost.testkit.history.Event.Sent;
import io.fencepost.testkit.history.Event.Stood;
import java.util.List;
import java.util.TreeMap;

/**
 * A part of L7: while an open transaction holds the last stable offset back, all from there on
 * stands, also what has a newer record of its key and what is aborted. Counts what was removed
 * later, when it might be.
 */
final class StandingRecords implements Check {
  @Override
  public String id() {
    return "L7";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Stood.class, Scanned.class);
  }

  @Override
  public String occasions() {
    return "removals after the last stable offset had stood";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, TreeMap<Long, String>> byReader = new TreeMap<>();
    for (Stood stood : history.all(Stood.class)) {
      byReader.put(stood.reader(), new TreeMap<>());
    }
    for (Read read : history.all(Read.class)) {
      TreeMap<Long, String> found = byReader.get(read.reader());
      if (found != null) {
        found.put(read.offset(), read.value());
      }
    }
    TreeMap<TopicPartition, TreeMap<Long, Sent>> sentTo = new TreeMap<>();
    for (Sent sent : history.all(Sent.class)) {
      if (sent.outcome() == Outcome.OK) {
        sentTo.computeIfAbsent(sent.partition(), p -> new TreeMap<>()).put(sent.offset(), sent);
      }
    }
    Remains remains = Remains.of(history, Isolation.READ_UNCOMMITTED);
    long occasions = 0;
    for (Stood stood : history.all(Stood.class)) {
      TreeMap<Long, String> found = byReader.getOrDefault(stood.reader(), new TreeMap<>());
      for (Sent sent :
          sentTo
              .getOrDefault(stood.partition(), new TreeMap<>())
              .subMap(stood.lastStableOffset(), stood.toOffset())
              .values()) {
        if (!sent.value().equals(found.get(sent.offset()))) {
          return Verdict.missing("it was removed too early", sent, stood);
        }
        if (remains.lacks(sent.partition(), sent.offset())) {
          occasions++;
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
