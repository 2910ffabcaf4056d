package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives members as equal shares as their subscriptions allow, and leaves with each what it had as
 * far as that goes. Where all subscribe alike, shares differ by one partition at most; else no
 * single move would make two shares more equal.
 */
final class UniformAssignor implements Assignor {
  static final String NAME = "uniform";

  @Override
  public SortedMap<String, PartitionSet> assign(
      SortedMap<String, Subscriber> subscribers, ToIntFunction<Uuid> partitionsOf) {
    SortedMap<Uuid, List<Subscriber>> byTopic = Assignor.byTopic(subscribers);
    Shares shares = new Shares(subscribers);
    List<Topic> topics = new ArrayList<>();
    byTopic.forEach(
        (topicId, all) -> topics.add(new Topic(topicId, partitionsOf.applyAsInt(topicId), all)));
    // Topics that few can take come first, so that the others can make up for it.
    topics.sort(Comparator.comparingInt(topic -> topic.subscribers().size()));
    boolean isUniform = topics.stream().allMatch(t -> t.subscribers().size() == subscribers.size());
    int limit = isUniform ? Quota.over(topics, subscribers.size()) : Integer.MAX_VALUE;
    keep(topics, shares, limit, isUniform ? Quota.extras(topics, subscribers.size()) : 0);
    for (Topic topic : topics) {
      for (int partition = 0; partition < topic.partitionCount(); partition++) {
        if (shares.ownerOf(topic.id(), partition) == null) {
          shares.give(topic.id(), partition, shares.leastOf(topic.subscribers()));
        }
      }
    }
    balance(topics, shares);
    return shares.build();
  }

  private record Topic(Uuid id, int partitionCount, List<Subscriber> subscribers) {}

  /** How many partitions each may have where all subscribe alike. */
  private static final class Quota {
    static int total(List<Topic> topics) {
      return topics.stream().mapToInt(Topic::partitionCount).sum();
    }

    static int over(List<Topic> topics, int memberCount) {
      return memberCount == 0 ? 0 : total(topics) / memberCount;
    }

    /** How many members may have one more. */
    static int extras(List<Topic> topics, int memberCount) {
      return memberCount == 0 ? 0 : total(topics) % memberCount;
    }
  }

  /** Leaves with members what they had, up to the limit, and one more with some. */
  private static void keep(List<Topic> topics, Shares shares, int limit, int extras) {
    int[] extrasLeft = {extras};
    for (Topic topic : topics) {
      for (Subscriber subscriber : topic.subscribers()) {
        for (int partition : subscriber.previous().of(topic.id())) {
          boolean exists = partition < topic.partitionCount();
          if (!exists || shares.ownerOf(topic.id(), partition) != null) {
            continue;
          }
          int load = shares.loadOf(subscriber.memberId());
          if (load < limit) {
            shares.give(topic.id(), partition, subscriber.memberId());
          } else if (load == limit && extrasLeft[0] > 0) {
            extrasLeft[0]--;
            shares.give(topic.id(), partition, subscriber.memberId());
          }
        }
      }
    }
  }

  /** Each move makes the sum of squares of the loads smaller, so this ends. */
  private static void balance(List<Topic> topics, Shares shares) {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Topic topic : topics) {
        for (int partition = 0; partition < topic.partitionCount(); partition++) {
          String owner = shares.ownerOf(topic.id(), partition);
          String least = shares.leastOf(topic.subscribers());
          if (owner != null && shares.loadOf(owner) - shares.loadOf(least) > 1) {
            shares.take(topic.id(), partition);
            shares.give(topic.id(), partition, least);
            moved = true;
          }
        }
      }
    }
  }

  /** Who has what, while it is being shared out. */
  private static final class Shares {
    private final SortedMap<String, Integer> loads = new TreeMap<>();
    private final SortedMap<Uuid, SortedMap<Integer, String>> owners = new TreeMap<>();

    Shares(SortedMap<String, Subscriber> subscribers) {
      subscribers.keySet().forEach(memberId -> loads.put(memberId, 0));
    }

    int loadOf(String memberId) {
      return loads.getOrDefault(memberId, 0);
    }

    @Nullable String ownerOf(Uuid topicId, int partition) {
      SortedMap<Integer, String> owned = owners.get(topicId);
      return owned == null ? null : owned.get(partition);
    }

    void give(Uuid topicId, int partition, String memberId) {
      owners.computeIfAbsent(topicId, id -> new TreeMap<>()).put(partition, memberId);
      loads.merge(memberId, 1, Integer::sum);
    }

    void take(Uuid topicId, int partition) {
      SortedMap<Integer, String> owned = owners.get(topicId);
      String owner = owned == null ? null : owned.remove(partition);
      if (owner != null) {
        loads.merge(owner, -1, Integer::sum);
      }
    }

    String leastOf(List<Subscriber> subscribers) {
      String least = subscribers.get(0).memberId();
      for (Subscriber subscriber : subscribers) {
        if (loadOf(subscriber.memberId()) < loadOf(least)) {
          least = subscriber.memberId();
        }
      }
      return least;
    }

    SortedMap<String, PartitionSet> build() {
      SortedMap<String, PartitionSet.Builder> shares = new TreeMap<>();
      loads.keySet().forEach(memberId -> shares.put(memberId, new PartitionSet.Builder()));
      owners.forEach(
          (topicId, owned) ->
              owned.forEach(
                  (partition, owner) ->
                      shares
                          .computeIfAbsent(owner, memberId -> new PartitionSet.Builder())
                          .add(topicId, partition)));
      SortedMap<String, PartitionSet> assigned = new TreeMap<>();
      shares.forEach((memberId, share) -> assigned.put(memberId, share.build()));
      return assigned;
    }
  }
}
