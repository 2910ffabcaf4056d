package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes the targets of all members of a group anew, for the group's present epoch. */
final class TargetAssignment {
  private final ConsumerSettings settings;
  private final TopicsView topics;

  TargetAssignment(ConsumerSettings settings, TopicsView topics) {
    this.settings = settings;
    this.topics = topics;
  }

  void make(Draft draft, long nowMs) {
    ConsumerGroup group = draft.group();
    SortedMap<String, Assignor.Subscriber> subscribers = new TreeMap<>();
    for (ConsumerMember member : group.members()) {
      subscribers.put(
          member.id(),
          new Assignor.Subscriber(
              member.id(),
              member.instanceId(),
              topicIds(group.topicsOf(member.metadata())),
              group.target(member.id())));
    }
    Assignor assignor = Objects.requireNonNull(Assignor.named(preferred(group, settings)));
    assignor
        .assign(subscribers, topics::partitionsOf)
        .forEach(
            (memberId, target) -> {
              if (!target.equals(draft.group().target(memberId))) {
                draft.target(memberId, target);
              }
            });
    draft.targetsMade(group.epoch(), nowMs);
  }

  private SortedSet<Uuid> topicIds(SortedSet<String> names) {
    SortedSet<Uuid> ids = new TreeSet<>();
    for (String name : names) {
      Uuid topicId = topics.idOf(name);
      if (topicId != null) {
        ids.add(topicId);
      }
    }
    return ids;
  }

  /** The assignor that most members wish for; the broker's first one without wishes. */
  static String preferred(ConsumerGroup group, ConsumerSettings settings) {
    SortedMap<String, Integer> votes = new TreeMap<>();
    for (ConsumerMember member : group.members()) {
      String wish = member.metadata().assignor();
      if (wish != null && settings.assignors().contains(wish)) {
        votes.merge(wish, 1, Integer::sum);
      }
    }
    String best = settings.assignors().get(0);
    int most = 0;
    for (Map.Entry<String, Integer> vote : votes.entrySet()) {
      if (vote.getValue() > most) {
        best = vote.getKey();
        most = vote.getValue();
      }
    }
    return best;
  }
}
