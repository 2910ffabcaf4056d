package io.fencepost.testkit.history;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event.Flow;
import io.fencepost.testkit.history.Event.OffsetSeen;
import io.fencepost.testkit.history.Event.Takes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** What the jobs of a history were given and made of it, as its flows say. */
final class Lanes {
  private static final EnumSet<Takes> SHARING = EnumSet.of(Takes.EITHER, Takes.FIRST, Takes.AGAIN);

  private final List<Lane> lanes = new ArrayList<>();

  private Lanes() {}

  static Lanes of(History history) {
    TreeMap<String, TreeMap<TopicPartition, OffsetSeen>> committed = new TreeMap<>();
    for (OffsetSeen seen : history.all(OffsetSeen.class)) {
      committed.computeIfAbsent(seen.group(), g -> new TreeMap<>()).put(seen.partition(), seen);
    }
    List<Flow> flows = flows(history, committed.getOrDefault(Pipeline.GROUP, new TreeMap<>()));
    TreeSet<String> topics = new TreeSet<>();
    TreeMap<String, Set<String>> feeders = new TreeMap<>();
    for (Flow flow : flows) {
      topics.addAll(List.of(flow.input(), flow.output()));
      feeders.computeIfAbsent(flow.output(), o -> new TreeSet<>()).add(flow.input());
    }
    CommittedLogs logs = CommittedLogs.of(history, topics);
    Lanes lanes = new Lanes();
    for (Lane.Plan plan : plans(flows, feeders)) {
      Collection<OffsetSeen> offsets =
          committed.getOrDefault(plan.group(), new TreeMap<>()).values().stream()
              .filter(seen -> seen.partition().topic().equals(plan.input()))
              .toList();
      lanes.lanes.add(Lane.of(plan, logs, offsets));
    }
    return lanes;
  }

  /** Those that are declared, or else those of a campaign if its job was there. */
  private static List<Flow> flows(History history, TreeMap<TopicPartition, OffsetSeen> ofCampaign) {
    List<Flow> declared = history.all(Flow.class);
    boolean isCampaign =
        ofCampaign.keySet().stream().anyMatch(it -> it.topic().equals(Pipeline.INPUT));
    return declared.isEmpty() && isCampaign ? Pipeline.FLOWS : declared;
  }

  private static Collection<Lane.Plan> plans(List<Flow> flows, Map<String, Set<String>> feeders) {
    TreeMap<String, Lane.Plan> plans = new TreeMap<>();
    for (Flow flow : flows) {
      String alone = SHARING.contains(flow.takes()) ? "" : flow.output();
      plans
          .computeIfAbsent(
              flow.group() + "\n" + flow.input() + "\n" + alone,
              name -> new Lane.Plan(flow.group(), flow.input(), new TreeMap<>(), feeders))
          .outputs()
          .put(flow.output(), flow.takes());
    }
    return plans.values();
  }

  /** What a check says that looks at one lane after the other. */
  Verdict check(Function<Lane, Verdict> look) {
    if (lanes.isEmpty()) {
      return new Verdict.Vacuous(
          "there is no 'flow' event, which says what a job reads and writes");
    }
    Verdict vacuous = null;
    long occasions = 0;
    for (Lane lane : lanes) {
      Verdict verdict = look.apply(lane);
      Verdict silence = lane.silence();
      boolean isSeen = verdict instanceof Verdict.Fail it && it.ground() == Verdict.Ground.SEEN;
      if (silence != null && !isSeen) {
        verdict = silence;
      }
      if (!verdict.holds()) {
        return verdict;
      }
      if (verdict instanceof Verdict.Vacuous it && !it.reason().isEmpty() && vacuous == null) {
        vacuous = it;
      }
      occasions += verdict instanceof Verdict.Pass pass ? pass.occasions() : 0;
    }
    return vacuous == null ? Verdict.passed(occasions) : vacuous;
  }
}
