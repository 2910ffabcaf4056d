package io.fencepost.testkit.campaign;

import java.util.TreeSet;

/**
 * How much may be broken at a time so that every guarantee still has to hold, with three replicas
 * and {@code min.insync.replicas} of 2.
 *
 * <p>What is acknowledged is on two brokers that were in sync then. So:
 *
 * <ol>
 *   <li>A broker loses data (its disk, or what it had not forced) only while all others are up,
 *       reachable and in sync: the second copy is on one of them.
 *   <li>Until all are in sync again no broker but that one is hurt: nobody knows yet where the
 *       second copy is.
 *   <li>Otherwise up to two brokers may be down, cut off or slow: they keep what they have, writes
 *       wait, and nothing is lost.
 * </ol>
 *
 * <p>Only a settled cluster counts as in sync; a restart alone does not settle. Single-threaded.
 */
public final class Allowance {
  /** One broker must stay whole, or the run stands still and shows nothing. */
  private static final int MOST_HURT = 2;

  private final TreeSet<Integer> down = new TreeSet<>();
  private final TreeSet<Integer> cut = new TreeSet<>();
  private final TreeSet<Integer> unsettled = new TreeSet<>();
  private boolean hasLost;

  /** Whether the step keeps the rule now. */
  public boolean allows(Step step) {
    int broker = step.target();
    return switch (step.fault().harm()) {
      case NONE -> true;
      case REPAIR -> step.fault() != Fault.RESTART || down.contains(broker);
      case LOSES -> unsettled.isEmpty();
      case DOWN -> !down.contains(broker) && mayHurt(broker);
      case CUT -> !down.contains(broker) && !cut.contains(broker) && mayHurt(broker);
    };
  }

  private boolean mayHurt(int broker) {
    return !hasLost && (unsettled.contains(broker) || unsettled.size() < MOST_HURT);
  }

  /** The step was taken. */
  public void apply(Step step) {
    int broker = step.target();
    switch (step.fault().harm()) {
      case NONE -> {}
      case DOWN -> hurt(down, broker);
      case CUT -> hurt(cut, broker);
      case LOSES -> {
        hurt(down, broker);
        hasLost = true;
      }
      case REPAIR -> repair(step);
    }
  }

  private void hurt(TreeSet<Integer> kind, int broker) {
    kind.add(broker);
    unsettled.add(broker);
  }

  private void repair(Step step) {
    switch (step.fault()) {
      case RESTART -> down.remove(step.target());
      case HEAL -> cut.clear();
      default -> {
        down.clear();
        cut.clear();
        unsettled.clear();
        hasLost = false;
      }
    }
  }

  /** Brokers that do not run. */
  public TreeSet<Integer> down() {
    return new TreeSet<>(down);
  }

  /** Whether a broker is cut off or slow. */
  public boolean isAnyCut() {
    return !cut.isEmpty();
  }

  /** Whether all replicas may be taken to be in sync. */
  public boolean isSettled() {
    return unsettled.isEmpty();
  }
}
