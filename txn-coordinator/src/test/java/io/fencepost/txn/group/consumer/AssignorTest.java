package io.fencepost.txn.group.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.txn.group.consumer.Assignor.Subscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssignorTest {
  private final SortedMap<Uuid, Integer> topics = new TreeMap<>();
  private SortedMap<String, Subscriber> subscribers = new TreeMap<>();

  private static Uuid topic(int number) {
    return new Uuid(0, number);
  }

  private int partitionsOf(Uuid topicId) {
    return topics.getOrDefault(topicId, 0);
  }

  private void member(String memberId, @Nullable String instanceId, int... topicNumbers) {
    SortedSet<Uuid> ids = new TreeSet<>();
    for (int number : topicNumbers) {
      ids.add(topic(number));
    }
    PartitionSet previous =
        subscribers.containsKey(memberId)
            ? subscribers.get(memberId).previous()
            : PartitionSet.EMPTY;
    subscribers.put(memberId, new Subscriber(memberId, instanceId, ids, previous));
  }

  private SortedMap<String, PartitionSet> assign(Assignor assignor) {
    SortedMap<String, PartitionSet> assigned = assignor.assign(subscribers, this::partitionsOf);
    SortedMap<String, Subscriber> next = new TreeMap<>();
    subscribers.forEach(
        (id, s) ->
            next.put(id, new Subscriber(id, s.instanceId(), s.topicIds(), assigned.get(id))));
    subscribers = next;
    return assigned;
  }

  private void isWhole(SortedMap<String, PartitionSet> assigned) {
    SortedMap<String, String> owners = new TreeMap<>();
    assigned.forEach(
        (id, share) ->
            share.forEach(
                (topicId, partition) -> {
                  assertThat(subscribers.get(id).topicIds()).contains(topicId);
                  assertThat(partition).isLessThan(topics.get(topicId));
                  assertThat(owners.put(topicId + "-" + partition, id)).isNull();
                }));
    SortedSet<Uuid> wanted = new TreeSet<>();
    subscribers.values().forEach(s -> wanted.addAll(s.topicIds()));
    int count = 0;
    for (Uuid topicId : wanted) {
      count += topics.get(topicId);
    }
    assertThat(owners).hasSize(count);
  }

  @Test
  void uniform_shares_differ_by_one_and_stay_where_they_are() {
    topics.put(topic(1), 5);
    topics.put(topic(2), 2);
    member("a", null, 1, 2);
    assertThat(assign(new UniformAssignor()).get("a").size()).isEqualTo(7);
    PartitionSet before = subscribers.get("a").previous();
    member("b", null, 1, 2);
    SortedMap<String, PartitionSet> two = assign(new UniformAssignor());
    assertThat(two.get("a").size()).isEqualTo(4);
    assertThat(two.get("b").size()).isEqualTo(3);
    two.get("a").forEach((t, p) -> assertThat(before.contains(t, p)).isTrue());
    assertThat(assign(new UniformAssignor())).isEqualTo(two);
  }

  @Test
  void range_gives_equal_numbers_of_equal_topics_and_static_members_their_place() {
    topics.put(topic(1), 4);
    topics.put(topic(2), 4);
    member("z", "first", 1, 2);
    member("a", "second", 1, 2);
    member("b", null, 1, 2);
    SortedMap<String, PartitionSet> assigned = assign(new RangeAssignor());
    assertThat(assigned.get("z").of(topic(1))).containsExactly(0, 1);
    assertThat(assigned.get("a").of(topic(1))).containsExactly(2);
    assertThat(assigned.get("b").of(topic(1))).containsExactly(3);
    assertThat(assigned.get("z").of(topic(2))).containsExactly(0, 1);
    isWhole(assigned);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void every_partition_has_one_subscriber_and_no_move_helps(long seed) {
    SimEntropy chance = new SimEntropy(seed);
    for (int number = 1; number <= 6; number++) {
      topics.put(topic(number), 1 + chance.nextInt(12));
    }
    for (int round = 0; round < 30; round++) {
      String id = "m" + chance.nextInt(8);
      if (subscribers.size() > 1 && chance.nextInt(3) == 0) {
        subscribers.remove(id);
      } else {
        int first = 1 + chance.nextInt(6);
        int last = first + chance.nextInt(7 - first);
        List<Integer> numbers = new ArrayList<>();
        for (int number = first; number <= last; number++) {
          numbers.add(number);
        }
        member(id, null, numbers.stream().mapToInt(Integer::intValue).toArray());
      }
      isWhole(new RangeAssignor().assign(subscribers, this::partitionsOf));
      SortedMap<String, PartitionSet> assigned = assign(new UniformAssignor());
      isWhole(assigned);
      noMoveHelps(assigned);
      assertThat(assign(new UniformAssignor())).as("seed %d, again", seed).isEqualTo(assigned);
    }
  }

  private void noMoveHelps(SortedMap<String, PartitionSet> assigned) {
    assigned.forEach(
        (rich, share) ->
            share.forEach(
                (topicId, partition) ->
                    assigned.forEach(
                        (poor, other) -> {
                          if (subscribers.get(poor).topicIds().contains(topicId)) {
                            assertThat(share.size() - other.size()).isLessThan(2);
                          }
                        })));
  }
}
