package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Bounds;
import java.util.TreeMap;

/** A part of L7: the log's start stays below the last stable offset. Counts moves of the start. */
final class StartBelowStable implements Check {
  @Override
  public String id() {
    return "L7";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<TopicPartition, Long> starts = new TreeMap<>();
    long occasions = 0;
    for (Bounds bounds : history.all(Bounds.class)) {
      if (bounds.logStartOffset() > bounds.lastStableOffset()
          || bounds.lastStableOffset() > bounds.highWatermark()) {
        return new Verdict.Fail("the log was cut above what is stable: " + bounds);
      }
      Long before = starts.put(bounds.partition(), bounds.logStartOffset());
      if (bounds.logStartOffset() > (before == null ? 0 : before)) {
        occasions++;
      }
    }
    return Verdict.passed(occasions);
  }
}
