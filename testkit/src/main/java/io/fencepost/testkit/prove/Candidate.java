package io.fencepost.testkit.prove;

import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.PlannedFault;
import java.util.List;

/** A plan that is to be tried. */
public record Candidate(FaultPlan plan) {
  /** What is broken, for the summary: the kind of a single fault, or how many there are. */
  public String kind() {
    List<PlannedFault> faults = plan.faults();
    if (faults.size() == 1) {
      return faults.get(0).action().kind().label();
    }
    return faults.isEmpty() ? "no fault" : "combination of " + faults.size();
  }

  /** Whether it needs several brokers that can be broken. */
  public boolean needsCluster() {
    return plan.faults().stream()
        .anyMatch(
            fault ->
                fault.point().place() == FaultPoint.Place.BROKER
                    || (fault.action().kind().isAct() && !isOfJob(fault.action().kind())));
  }

  static boolean isOfJob(FaultKind kind) {
    return kind == FaultKind.KILL_JOB
        || kind == FaultKind.PAUSE_JOB
        || kind == FaultKind.RESTART_JOB;
  }
}
