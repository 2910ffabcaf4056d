package io.fencepost.testkit.campaign;

import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.sim.SimEntropy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The steps of a campaign without end, the same for the same seed. Kinds of faults come in shuffled
 * rounds, so that each is there once before any comes again; repairs and waits are put between them
 * as {@link Allowance} demands and by chance. Single-threaded.
 */
public final class Plan {
  private static final int REPAIR_PER_MILLE = 350;

  private final Shape shape;
  private final SimEntropy entropy;
  private final Allowance allowance = new Allowance();
  private final ArrayDeque<Fault> round = new ArrayDeque<>();
  private final List<Step> taken = new ArrayList<>();

  /**
   * What is there to be broken, and how fast.
   *
   * @param pauseMs the longest wait between two steps
   */
  public record Shape(int brokers, int partitions, int instances, int pauseMs) {}

  public Plan(long seed, Shape shape) {
    this.shape = shape;
    this.entropy = new SimEntropy(seed).named("plan");
  }

  /** The next step; it keeps the rule of what may be broken. */
  public Step next() {
    Step step = draw();
    allowance.apply(step);
    taken.add(step);
    return step;
  }

  /** All steps so far, one a line. */
  public List<Step> taken() {
    return Collections.unmodifiableList(taken);
  }

  private Step draw() {
    if (!allowance.isSettled() && entropy.oneOf(REPAIR_PER_MILLE)) {
      return repair();
    }
    if (round.isEmpty()) {
      refill();
    }
    Step step = step(round.peekFirst());
    if (!allowance.allows(step)) {
      return repair();
    }
    round.removeFirst();
    return step;
  }

  private void refill() {
    List<Fault> faults = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      if (!fault.isRepair()) {
        faults.add(entropy.nextInt(faults.size() + 1), fault);
      }
    }
    round.addAll(faults);
  }

  private Step repair() {
    List<Integer> down = new ArrayList<>(allowance.down());
    List<Fault> choices = new ArrayList<>(List.of(Fault.SETTLE));
    if (!down.isEmpty()) {
      choices.add(Fault.RESTART);
    }
    if (allowance.isAnyCut()) {
      choices.add(Fault.HEAL);
    }
    Fault fault = choices.get(entropy.nextInt(choices.size()));
    int target = fault == Fault.RESTART ? down.get(entropy.nextInt(down.size())) : 0;
    return new Step(taken.size() + 1, pause(), fault, target, 0);
  }

  private Step step(Fault fault) {
    int broker = 1 + entropy.nextInt(shape.brokers());
    int next = 1 + (broker + entropy.nextInt(shape.brokers() - 1)) % shape.brokers();
    int target =
        switch (fault) {
          case MOVE_LEADER -> 1 + entropy.nextInt(shape.partitions());
          case KILL_JOB, ZOMBIE_JOB, STALE_MEMBER, MOVE_TRANSACTION_COORDINATOR ->
              1 + entropy.nextInt(shape.instances());
          case HANG, MOVE_GROUP_COORDINATOR -> 0;
          default -> broker;
        };
    int other =
        switch (fault) {
          case MOVE_LEADER -> broker;
          case ISOLATE_FROM_ONE -> next;
          default -> 0;
        };
    return new Step(taken.size() + 1, pause(), fault, target, other);
  }

  private long pause() {
    Entropy draws = entropy;
    return draws.nextInt(shape.pauseMs() + 1);
  }
}
