package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shares the partitions of topics among the members that subscribe to them. A function: the same
 * members, topics and previous shares give the same result. Every partition that somebody
 * subscribes to goes to exactly one of its subscribers.
 */
interface Assignor {
  /** By the name that members and group.consumer.assignors use; null if there is none. */
  static @Nullable Assignor named(String name) {
    return switch (name) {
      case UniformAssignor.NAME -> new UniformAssignor();
      case RangeAssignor.NAME -> new RangeAssignor();
      default -> null;
    };
  }

  /** All names. */
  List<String> NAMES = List.of(UniformAssignor.NAME, RangeAssignor.NAME);

  /** A member as assignors see it. */
  record Subscriber(
      String memberId,
      @Nullable String instanceId,
      SortedSet<Uuid> topicIds,
      PartitionSet previous) {}

  /**
   * @param subscribers by member id
   * @param partitionsOf the number of partitions of each topic that somebody subscribes to
   */
  SortedMap<String, PartitionSet> assign(
      SortedMap<String, Subscriber> subscribers, ToIntFunction<Uuid> partitionsOf);

  /** Who subscribes to which topic, members in the order of their ids. */
  static SortedMap<Uuid, List<Subscriber>> byTopic(SortedMap<String, Subscriber> subscribers) {
    SortedMap<Uuid, List<Subscriber>> byTopic = new TreeMap<>();
    for (Subscriber subscriber : subscribers.values()) {
      for (Uuid topicId : subscriber.topicIds()) {
        byTopic.computeIfAbsent(topicId, id -> new ArrayList<>()).add(subscriber);
      }
    }
    return byTopic;
  }
}
