package io.fencepost.testkit.prove;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultPoint;

/** Somebody passed a point in a run without faults. */
public record Sighting(FaultPoint point, FaultFacts facts) {
  /** The same for all of one class. */
  public String className() {
    return point + " " + aboutWhat();
  }

  private boolean isInternal() {
    return facts.partitions().stream().anyMatch(it -> it.topic().startsWith("__"));
  }

  /** Those of one class differ in time only: same point, and the same thing that it is about. */
  String aboutWhat() {
    if (point.place() == FaultPoint.Place.BROKER && !isInternal()) {
      return ""; // to a broker one topic is as another
    }
    if (!facts.partitions().isEmpty()) {
      TopicPartition first = facts.partitions().get(0);
      return "topic=" + first.topic();
    }
    if (facts.transactionalId() != null) {
      return "txn=" + facts.transactionalId();
    }
    return facts.group() == null ? "" : "group=" + facts.group();
  }
}
