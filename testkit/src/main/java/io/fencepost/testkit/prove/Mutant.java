package io.fencepost.testkit.prove;

import io.fencepost.broker.testing.Rule;
import io.fencepost.streams.testing.JobRule;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.sim.Scene;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A fault that a real product has had, made again by one rule that is off, with a story and a fault
 * plan that bring it to light.
 */
public enum Mutant {
  END_TXN_IGNORES_EPOCH(Rule.END_BY_OWN_EPOCH, "pause job@before-end[client=job-1] for 5s"),
  MARKER_RETRY_REFUSED(Rule.MARKER_MAY_REPEAT, "after-marker[data-0]:failed"),
  EPOCH_OVERFLOW(Rule.EPOCHS_END, ""),
  ABORTED_LIST_CUT_SHORT(
      Rule.ABORTED_LIST_IS_WHOLE,
      "kill job@before-end[client=job-1]; kill job@before-end[client=job-2]"),
  READ_PAST_STABLE_OFFSET(
      Rule.READS_END_AT_STABLE_OFFSET, "pause job@before-end[client=job-1] for 5s"),
  OPEN_FORGOTTEN_AT_FAILOVER(
      Rule.OPEN_SURVIVES_FAILOVER,
      "kill job@before-end[client=job-1]; kill broker@after-append[data-1]"),
  ABORT_BY_PRODUCER_ID_ALONE(Rule.MARKER_HAS_EPOCH, "pause job@after-send[client=job-1]#2 for 1s"),
  STABLE_OFFSET_BACK_AFTER_LEADER_CHANGE(
      Rule.OPEN_UNTIL_MARKER_IS_SAFE,
      "isolate broker@before-marker[data-0] for 4s; before-marker[data-0]#2:failed",
      3,
      0),
  OFFSETS_OUTSIDE_TRANSACTION(JobRule.OFFSETS_IN_TRANSACTION, "after-stage:failed"),
  GENERATION_UNCHECKED(Rule.GENERATION_IS_CHECKED, "pause job@before-stage[client=job-1]#2 for 1m"),
  ABORTED_STATE_KEPT(JobRule.ABORT_DROPS_STATE, "before-stage:failed"),
  SEQUENCES_LOST_AT_RESTART(Rule.SEQUENCES_SURVIVE_RESTART, "kill broker@after-append[data-0]"),
  BATCH_DROPPED_MID_FETCH(Rule.BATCH_HOLDS_ITS_OFFSETS, "kill job@after-poll[client=reader]"),
  JOINED_WHILE_COMPLETING(Rule.NOBODY_JOINS_AN_ENDING, "after-marker[data-0]:failed"),
  SYNC_SKIPPED(Rule.FORCED_BEFORE_ACKNOWLEDGED, "tear tail@before-force[data-0]", 1, 30),
  MARKER_BEFORE_PREPARE(Rule.DECIDED_BEFORE_MARKED, "before-force[__transaction_state-0]#3:failed");

  private final @Nullable Rule rule;
  private final @Nullable JobRule jobRule;
  private final String plan;
  private final int brokers;
  private final int lagMs;

  Mutant(Rule rule, String plan) {
    this(rule, plan, 1, 0);
  }

  Mutant(Rule rule, String plan, int brokers, int lagMs) {
    this.rule = rule;
    this.jobRule = null;
    this.plan = plan;
    this.brokers = brokers;
    this.lagMs = lagMs;
  }

  Mutant(JobRule rule, String plan) {
    this.rule = null;
    this.jobRule = rule;
    this.plan = plan;
    this.brokers = 1;
    this.lagMs = 0;
  }

  /** As it stands in tables: {@code end-txn-ignores-epoch}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Runs this with the rule off, in the whole process. */
  public void run(Runnable work) {
    if (rule != null) {
      rule.without(work);
    } else if (jobRule != null) {
      jobRule.without(work);
    }
  }

  /** What brings it to light. */
  public FaultPlan plan() {
    return plan.isEmpty() ? FaultPlan.NONE : FaultPlan.parse(plan);
  }

  /** Whether the rule is one of a job, which is run for it. */
  public boolean isOfJob() {
    return jobRule != null;
  }

  /** The story from its start to its end, for one of the brokers and coordinators. */
  public Scene play() {
    Scene scene = Scene.of(plan(), brokers, lagMs);
    scene.play(() -> Stories.tell(this, scene));
    return scene;
  }
}
