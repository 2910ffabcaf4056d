package io.fencepost.testkit.junit;

import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.fault.main.BrokerFaults;

/** Which plans can be done to a job in a test; asked before anything runs. */
final class PossiblePlan {
  private PossiblePlan() {}

  /**
   * On a cluster that is there.
   *
   * @throws IllegalArgumentException saying what of the plan can't be done there, and where it can
   */
  static void require(FaultPlan plan, TestCluster cluster) {
    require(plan, cluster.isEmbedded() ? cluster.brokers().brokers().size() : 0);
  }

  /**
   * On so many brokers of this JVM.
   *
   * @param brokers 0 if they are none of this JVM
   */
  static void require(FaultPlan plan, int brokers) {
    for (PlannedFault fault : plan.faults()) {
      requireBrokers(fault, brokers);
      requireJob(fault);
    }
  }

  private static void requireBrokers(PlannedFault fault, int brokers) {
    FaultAction action = fault.action();
    boolean isAct = BrokerFaults.does(action.kind());
    if (brokers == 0 && (isAct || fault.point().place() == FaultPoint.Place.BROKER)) {
      throw new IllegalArgumentException(
          "'%s' can only be done to brokers in this JVM: leave on(cluster) out, or give it one of TestCluster.start(...); to another cluster's job can be done what is at its requests (as EndTxn) and at its own steps (as before-end)"
              .formatted(fault));
    }
    boolean isMove =
        action.kind() == FaultKind.MOVE_LEADER || action.kind() == FaultKind.MOVE_COORDINATOR;
    if (isMove && brokers == 1) {
      throw new IllegalArgumentException(
          "'%s' can't be done: there is one broker, and nobody to take over; brokers(...) says how many there are"
              .formatted(fault));
    }
    if (isAct && action.number() > brokers) {
      throw new IllegalArgumentException(
          "'%s' can't be done: there are %d brokers; brokers(...) says how many"
              .formatted(fault, brokers));
    }
  }

  private static void requireJob(PlannedFault fault) {
    FaultAction action = fault.action();
    if (action.kind() == FaultKind.PAUSE_JOB) {
      throw new IllegalArgumentException(
          "'%s' can't be done to a job in a test: what stands still is a process (SIGSTOP), and the test would stand still with it; './fencepost prove --job CLASS --plan PLAN' does it to processes of the job. What can be done here: kill job, restart job"
              .formatted(fault));
    }
    boolean isOfJob = action.kind() == FaultKind.KILL_JOB || action.kind() == FaultKind.RESTART_JOB;
    if (isOfJob && action.number() > 1) {
      throw new IllegalArgumentException(
          "'%s' can't be done: in a test a job has one instance".formatted(fault));
    }
  }
}
