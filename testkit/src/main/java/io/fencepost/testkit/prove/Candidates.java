package io.fencepost.testkit.prove;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFilter;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.fault.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * From what a job passes in a run without faults to the plans that are tried. Passings of a point
 * that are about the same thing are one class; of each class the first is broken and, of those with
 * several, one from the middle, where the job is at work. The answers with an error are those that
 * a broker of good faith may give there without having done anything.
 */
public final class Candidates {
  private static final int SEVERAL = 4;

  private static final EnumMap<ApiKey, List<WireError>> ERRORS = new EnumMap<>(ApiKey.class);

  static {
    errors(
        ApiKey.PRODUCE,
        WireError.NOT_LEADER_OR_FOLLOWER,
        WireError.NOT_ENOUGH_REPLICAS,
        WireError.INVALID_PRODUCER_EPOCH);
    errors(ApiKey.FETCH, WireError.NOT_LEADER_OR_FOLLOWER, WireError.OFFSET_NOT_AVAILABLE);
    errors(ApiKey.METADATA, WireError.LEADER_NOT_AVAILABLE);
    errors(ApiKey.LIST_OFFSETS, WireError.LEADER_NOT_AVAILABLE);
    errors(ApiKey.FIND_COORDINATOR, WireError.COORDINATOR_NOT_AVAILABLE);
    errors(
        ApiKey.INIT_PRODUCER_ID,
        WireError.CONCURRENT_TRANSACTIONS,
        WireError.NOT_COORDINATOR,
        WireError.COORDINATOR_LOAD_IN_PROGRESS);
    errors(
        ApiKey.ADD_PARTITIONS_TO_TXN, WireError.CONCURRENT_TRANSACTIONS, WireError.NOT_COORDINATOR);
    errors(ApiKey.ADD_OFFSETS_TO_TXN, WireError.CONCURRENT_TRANSACTIONS, WireError.NOT_COORDINATOR);
    errors(
        ApiKey.TXN_OFFSET_COMMIT,
        WireError.NOT_COORDINATOR,
        WireError.COORDINATOR_LOAD_IN_PROGRESS,
        WireError.ILLEGAL_GENERATION,
        WireError.UNKNOWN_MEMBER_ID);
    errors(
        ApiKey.END_TXN,
        WireError.CONCURRENT_TRANSACTIONS,
        WireError.NOT_COORDINATOR,
        WireError.COORDINATOR_NOT_AVAILABLE,
        WireError.PRODUCER_FENCED);
    errors(
        ApiKey.OFFSET_FETCH,
        WireError.UNSTABLE_OFFSET_COMMIT,
        WireError.NOT_COORDINATOR,
        WireError.COORDINATOR_LOAD_IN_PROGRESS);
    errors(ApiKey.JOIN_GROUP, WireError.COORDINATOR_LOAD_IN_PROGRESS, WireError.UNKNOWN_MEMBER_ID);
    errors(ApiKey.SYNC_GROUP, WireError.REBALANCE_IN_PROGRESS, WireError.UNKNOWN_MEMBER_ID);
    errors(
        ApiKey.HEARTBEAT,
        WireError.REBALANCE_IN_PROGRESS,
        WireError.UNKNOWN_MEMBER_ID,
        WireError.ILLEGAL_GENERATION);
    errors(
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        WireError.COORDINATOR_LOAD_IN_PROGRESS,
        WireError.UNKNOWN_MEMBER_ID);
  }

  private static void errors(ApiKey api, WireError... errors) {
    ERRORS.put(api, List.of(errors));
  }

  /** Requests at which the cluster is broken too, as they move a transaction on. */
  private static final List<ApiKey> TURNS =
      List.of(ApiKey.INIT_PRODUCER_ID, ApiKey.PRODUCE, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN);

  private final Times times;
  private final boolean breaksBrokers;
  private final List<Candidate> all = new ArrayList<>();

  /**
   * How long things last.
   *
   * @param delay is longer than the job's clients wait for an answer
   * @param pause is longer than the group waits for a member
   * @param outage of a broker or its disk
   */
  public record Times(Duration delay, Duration pause, Duration outage) {}

  private Candidates(Times times, boolean breaksBrokers) {
    this.times = times;
    this.breaksBrokers = breaksBrokers;
  }

  /**
   * One plan for each way to break what was sighted.
   *
   * @param breaksBrokers whether the brokers are there to be broken
   */
  public static List<Candidate> of(List<Sighting> sightings, Times times, boolean breaksBrokers) {
    Candidates candidates = new Candidates(times, breaksBrokers);
    Map<String, List<Sighting>> classes = new LinkedHashMap<>();
    for (Sighting sighting : sightings) {
      classes.computeIfAbsent(sighting.className(), key -> new ArrayList<>()).add(sighting);
    }
    classes.values().forEach(candidates::breakClass);
    return candidates.all;
  }

  private void breakClass(List<Sighting> sightings) {
    Sighting sighting = sightings.get(0);
    // Not quite: what is done again and again with time comes less often in a faster run.
    int middle = sightings.size() / 4 + 1;
    boolean hasMiddle = sightings.size() >= SEVERAL;
    if (hasMiddle && sighting.point().place() != FaultPoint.Place.BROKER) {
      breakAt(sighting, 1, false);
    }
    breakAt(sighting, hasMiddle ? middle : 1, true);
  }

  /** What takes seconds is done at work only, not at the first passing too. */
  private void breakAt(Sighting sighting, long occurrence, boolean isAtWork) {
    FaultPoint point = sighting.point();
    FaultFilter filter = filter(sighting.aboutWhat());
    Timing timing = Timing.occurrence(occurrence);
    List<FaultAction> actions = new ArrayList<>();
    switch (point.place()) {
      case WIRE -> atRequest(point, isAtWork, actions);
      case JOB -> atJobStep(isAtWork, times, actions);
      case BROKER -> atBrokerStep(point, actions);
    }
    actions.forEach(
        action ->
            all.add(
                new Candidate(
                    new FaultPlan(List.of(new PlannedFault(point, filter, timing, action))))));
  }

  private static FaultFilter filter(String aboutWhat) {
    int equals = aboutWhat.indexOf('=');
    String name = aboutWhat.substring(equals + 1);
    return switch (aboutWhat.substring(0, Math.max(0, equals))) {
      case "topic" -> new FaultFilter(null, name, null, null, null, 0);
      case "txn" -> new FaultFilter(null, null, name, null, null, 0);
      case "group" -> new FaultFilter(null, null, null, null, name, 0);
      default -> FaultFilter.ALL;
    };
  }

  private void atRequest(FaultPoint point, boolean isAtWork, List<FaultAction> actions) {
    actions.add(action(FaultKind.REQUEST_LOST, null));
    actions.add(action(FaultKind.ANSWER_LOST, null));
    actions.add(action(FaultKind.DELAYED, times.delay()));
    actions.add(action(FaultKind.DUPLICATED, null));
    ERRORS.forEach(
        (api, errors) -> {
          if (FaultPoints.of(api).equals(point)) {
            errors.forEach(
                error -> actions.add(new FaultAction(FaultKind.ANSWERED, 0, null, null, error)));
          }
        });
    if (isAtWork
        && breaksBrokers
        && TURNS.stream().anyMatch(api -> FaultPoints.of(api).equals(point))) {
      actions.add(action(FaultKind.KILL_BROKER, null));
      actions.add(action(FaultKind.ISOLATE_BROKER, times.outage()));
      actions.add(action(FaultKind.JUMP_CLOCK, Duration.ofHours(1)));
      actions.add(action(FaultKind.JUMP_CLOCK, Duration.ofHours(-1)));
      actions.add(
          action(
              point.equals(FaultPoints.of(ApiKey.PRODUCE))
                  ? FaultKind.MOVE_LEADER
                  : FaultKind.MOVE_COORDINATOR,
              null));
    }
  }

  private static void atJobStep(boolean isAtWork, Times times, List<FaultAction> actions) {
    actions.add(action(FaultKind.KILL_JOB, null));
    if (isAtWork) {
      actions.add(action(FaultKind.PAUSE_JOB, times.pause()));
    }
    actions.add(action(FaultKind.FAILED, null));
  }

  private void atBrokerStep(FaultPoint point, List<FaultAction> actions) {
    if (!breaksBrokers) {
      return;
    }
    actions.add(action(FaultKind.KILL_BROKER, null));
    if (point.equals(FaultPoints.AFTER_APPEND)) {
      actions.add(action(FaultKind.TEAR_TAIL, null));
    } else if (point.equals(FaultPoints.BEFORE_FORCE)) {
      actions.add(action(FaultKind.FAIL_FORCE, null));
    } else if (point.equals(FaultPoints.BEFORE_APPEND)) {
      actions.add(action(FaultKind.FILL_DISK, times.outage()));
    }
  }

  private static FaultAction action(FaultKind kind, @Nullable Duration time) {
    return new FaultAction(kind, 0, null, time, null);
  }

  /**
   * Plans of two or three faults at different places; at one place only one of two could be done.
   *
   * @param firsts one of these is in each plan
   * @param all where the others are taken from
   */
  public static List<Candidate> combined(
      List<Candidate> firsts, List<Candidate> all, int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SortedMap<String, List<Candidate>> places = byPlace(all);
    List<List<Candidate>> begins = List.copyOf(byPlace(firsts).values());
    List<Candidate> combined = new ArrayList<>();
    for (int i = 0; i < count && places.size() > 2 && !begins.isEmpty(); i++) {
      Candidate first = drawn(begins.get(random.nextInt(begins.size())), random);
      List<String> left = new ArrayList<>(places.keySet());
      left.remove(place(first));
      FaultPlan plan = first.plan();
      for (int more = 1 + random.nextInt(2); more > 0; more--) {
        String place = left.remove(random.nextInt(left.size()));
        plan = plan.and(drawn(places.getOrDefault(place, List.of()), random).plan());
      }
      combined.add(new Candidate(plan));
    }
    return combined;
  }

  private static SortedMap<String, List<Candidate>> byPlace(List<Candidate> candidates) {
    TreeMap<String, List<Candidate>> places = new TreeMap<>();
    for (Candidate candidate : candidates) {
      places.computeIfAbsent(place(candidate), place -> new ArrayList<>()).add(candidate);
    }
    return places;
  }

  private static String place(Candidate single) {
    return single.plan().faults().get(0).where();
  }

  private static Candidate drawn(List<Candidate> candidates, SplittableRandom random) {
    return candidates.get(random.nextInt(candidates.size()));
  }
}
