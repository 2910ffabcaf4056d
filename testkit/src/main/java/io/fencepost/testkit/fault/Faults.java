package io.fencepost.testkit.fault;

import io.fencepost.broker.port.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A plan at work in one run: counts who passes which point, says what is due, and remembers what
 * was done. Each entry counts the calls at its point that its filter lets pass, from 1, so that
 * calls of others do not shift its numbers. Thread-safe.
 */
public final class Faults {
  private final FaultPlan plan;
  private final Clock clock;
  private final long[] counts;
  private final long[] fires;
  private final TreeMap<FaultPoint, Long> passed = new TreeMap<>();
  private final List<Fired> fired = new ArrayList<>();
  private final List<FaultObserver> observers = new ArrayList<>();
  private boolean healed;

  /**
   * A planned fault that was not done.
   *
   * @param passed how many calls counted for it
   */
  public record Unfired(PlannedFault fault, long passed) {
    @Override
    public String toString() {
      return fault + " (" + passed + (passed == 1 ? " call" : " calls") + " passed there)";
    }
  }

  private Faults(FaultPlan plan, Clock clock) {
    this.plan = plan;
    this.clock = clock;
    this.counts = new long[plan.faults().size()];
    this.fires = new long[plan.faults().size()];
  }

  /** For one run. */
  public static Faults of(FaultPlan plan, Clock clock) {
    return new Faults(plan, clock);
  }

  /** Tells this one from now on. */
  public synchronized Faults observedBy(FaultObserver observer) {
    observers.add(observer);
    return this;
  }

  /** What is planned. */
  public FaultPlan plan() {
    return plan;
  }

  /** Asked by who passes a point, before anything is done there; the call counts. */
  public Decision decide(FaultPoint point, FaultFacts facts) {
    return decide(point, facts, action -> true);
  }

  /**
   * The same where not everything can be done to this call.
   *
   * @param possible asked for what would be done to the call itself; what is not possible counts as
   *     not fired
   */
  public synchronized Decision decide(
      FaultPoint point, FaultFacts facts, Predicate<FaultAction> possible) {
    long occurrence = passed.merge(point, 1L, Long::sum);
    observers.forEach(observer -> observer.onPassed(point, occurrence, facts));
    Fired change = null;
    List<Fired> acts = new ArrayList<>();
    List<PlannedFault> faults = plan.faults();
    for (int i = 0; i < faults.size(); i++) {
      PlannedFault fault = faults.get(i);
      if (!fault.point().equals(point) || !fault.filter().matches(facts)) {
        continue;
      }
      long number = ++counts[i];
      boolean act = fault.action().kind().isAct();
      if (healed
          || !fault.timing().hits(number)
          || (!act && (change != null || !possible.test(fault.action())))) {
        continue;
      }
      fires[i]++;
      Fired hit = record(new Fired(fault, number, facts, clock.wallMillis()));
      if (act) {
        acts.add(hit);
      } else {
        change = hit;
      }
    }
    return decision(change, acts);
  }

  private static Decision decision(@Nullable Fired change, List<Fired> acts) {
    return change == null && acts.isEmpty() ? Decision.PASS : new Decision(change, acts);
  }

  private Fired record(Fired hit) {
    fired.add(hit);
    observers.forEach(observer -> observer.onFired(hit));
    return hit;
  }

  /** Breaks nothing from now on; calls still count. */
  public synchronized void heal() {
    healed = true;
  }

  /** What was done, in its order. */
  public synchronized List<Fired> fired() {
    return List.copyOf(fired);
  }

  /** How often that entry of the plan was done, by its place from 0. */
  public synchronized long fireCount(int entry) {
    return fires[entry];
  }

  /** How many calls counted for that entry of the plan, by its place from 0. */
  public synchronized long callCount(int entry) {
    return counts[entry];
  }

  /** What was planned and never done: a run with any of these proves less than it says. */
  public synchronized List<Unfired> unfired() {
    List<Unfired> never = new ArrayList<>();
    for (int i = 0; i < fires.length; i++) {
      if (fires[i] == 0) {
        never.add(new Unfired(plan.faults().get(i), counts[i]));
      }
    }
    return never;
  }

  /** How often each point was passed, faults or not; in the order of the catalogue. */
  public synchronized SortedMap<FaultPoint, Long> passed() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(passed));
  }
}
