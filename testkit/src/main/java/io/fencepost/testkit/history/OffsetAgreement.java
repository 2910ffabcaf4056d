package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Read;
import io.fencepost.testkit.history.Event.Sent;
import java.util.LinkedHashMap;
import java.util.List;

/** L1: what stands at a (partition, offset) never changes, whoever says so. */
public final class OffsetAgreement implements Check {
  @Override
  public String id() {
    return "L1";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Read.class);
  }

  @Override
  public String occasions() {
    return "offsets whose record was told twice";
  }

  private record Told(String value, Event event) {}

  @Override
  public Verdict check(History history) {
    LinkedHashMap<TopicPartition, LinkedHashMap<Long, Told>> log = new LinkedHashMap<>();
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
      Told before =
          log.computeIfAbsent(partition, p -> new LinkedHashMap<>())
              .putIfAbsent(offset, new Told(value, event));
      if (before != null) {
        occasions++;
        if (!before.value.equals(value)) {
          return Verdict.broken(
              "two records stand at %s offset %d".formatted(partition, offset),
              before.event,
              event);
        }
      }
    }
    return Verdict.passed(occasions);
  }
}
