package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.TreeMap;

/** L1: what stands at a (partition, offset) never changes, whoever says so. */
public final class OffsetAgreement implements Check {
  @Override
  public String id() {
    return "L1";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<TopicPartition, TreeMap<Long, String>> log = new TreeMap<>();
    long occasions = 0;
    for (Event event : history.events()) {
      TopicPartition partition;
      long offset;
      String value;
      if (event instanceof Read it) {
        partition = it.partition();
        offset = it.offset();
        value = it.value();
      } else if (event instanceof Sent it && it.outcome() == Outcome.OK) {
        partition = it.partition();
        offset = it.offset();
        value = it.value();
      } else {
        continue;
      }
      String before =
          log.computeIfAbsent(partition, p -> new TreeMap<>()).putIfAbsent(offset, value);
      if (before != null) {
        occasions++;
        if (!before.equals(value)) {
          return new Verdict.Fail(
              "%s offset %d held %s and later %s (%s)"
                  .formatted(partition, offset, before, value, event));
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
