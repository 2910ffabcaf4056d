package io.fencepost.testkit.fault;

import io.fencepost.broker.wire.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What is to be broken in a run. Immutable data: built in code or read from one line of text, which
 * {@link #toString} writes again.
 *
 * <pre>{@code
 * FaultPlan.at(END_TXN).occurrence(3).answerLost()
 *     .and(FaultPlan.at(AFTER_SEND).occurrence(17).killJob());
 * FaultPlan.parse("EndTxn#3:answer-lost; kill job@after-send#17");   // the same
 * }</pre>
 *
 * @param faults in the order of the plan; where several hit one call, the first that changes the
 *     call is done, and all acts beside it
 */
public record FaultPlan(List<PlannedFault> faults) {
  /** Nothing is broken. */
  public static final FaultPlan NONE = new FaultPlan(List.of());

  public FaultPlan {
    faults = List.copyOf(faults);
  }

  /** Begins a fault at requests of that kind. */
  public static Occasion at(ApiKey api) {
    return at(FaultPoints.of(api));
  }

  /** Begins a fault at that point. */
  public static Occasion at(FaultPoint point) {
    return new Occasion(point, FaultFilter.ALL, Timing.FIRST);
  }

  /**
   * Reads a plan: entries with {@code ;} between them, of which each is {@code
   * POINT[FILTER]WHEN:ACTION} or {@code ACT@POINT[FILTER]WHEN}.
   *
   * @throws IllegalArgumentException if it can't be read, with what is wrong and the nearest right
   *     word
   */
  public static FaultPlan parse(String text) {
    return new FaultPlan(PlanParser.entries(text));
  }

  /** Both, this one first. */
  public FaultPlan and(FaultPlan other) {
    List<PlannedFault> both = new ArrayList<>(faults);
    both.addAll(other.faults);
    return new FaultPlan(both);
  }

  /** Whether nothing is broken. */
  public boolean isEmpty() {
    return faults.isEmpty();
  }

  @Override
  public String toString() {
    return faults.stream().map(PlannedFault::toString).collect(Collectors.joining("; "));
  }
}
