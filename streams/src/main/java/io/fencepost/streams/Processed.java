package io.fencepost.streams;

import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/** What comes out of an operator with several outputs: as a flow, the main one. */
public final class Processed<K, V> extends Flow<K, V> {
  private final PlanNode.Processing operator;

  Processed(Job job, PlanNode.Processing operator, @Nullable Serde<K> keySerde) {
    super(job, operator, 0, keySerde);
    this.operator = operator;
  }

  PlanNode.Processing operator() {
    return operator;
  }

  /** Says that the operator makes a table of its messages. */
  Processed<K, V> asTable() {
    operator.makesTable();
    return this;
  }

  /**
   * The flow of a side output.
   *
   * @throws IllegalArgumentException if the operator was not given that output
   */
  public <K2, V2> Flow<K2, V2> side(SideOutput<K2, V2> output) {
    return new Flow<>(job(), operator, operator.output(output), null);
  }
}
