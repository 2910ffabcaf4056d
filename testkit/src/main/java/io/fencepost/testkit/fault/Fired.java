package io.fencepost.testkit.fault;

import java.time.Instant;
import java.util.List;

/**
 * A fault that was done.
 *
 * @param occurrence which of the calls that count it was, from 1
 * @param facts of the call that was hit
 * @param wallMs when, in milliseconds since the epoch
 */
public record Fired(PlannedFault fault, long occurrence, FaultFacts facts, long wallMs) {
  /** The point where. */
  public FaultPoint point() {
    return fault.point();
  }

  /** What was done. */
  public FaultAction action() {
    return fault.action();
  }

  /** The plan that does this again, and nothing else. */
  public FaultPlan again() {
    return new FaultPlan(
        List.of(
            new PlannedFault(
                fault.point(), fault.filter(), Timing.occurrence(occurrence), fault.action())));
  }

  /** What was done where, in one line without the time. */
  public String sentence() {
    String about = facts.toString();
    return fault.where()
        + "#"
        + occurrence
        + " "
        + fault.action()
        + (about.isEmpty() ? "" : " (" + about + ")");
  }

  /** One line for a log. */
  @Override
  public String toString() {
    return Instant.ofEpochMilli(wallMs) + " " + sentence();
  }
}
