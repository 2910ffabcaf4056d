package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Gives each member a range of each topic; members that subscribe alike get the same numbers of
 * topics of equal size, so that joins find both sides. Static members come first, by instance id,
 * so a restart moves nothing.
 */
final class RangeAssignor implements Assignor {
  static final String NAME = "range";

  private static final Comparator<Subscriber> ORDER =
      Comparator.comparing(
              Subscriber::instanceId, Comparator.nullsLast(Comparator.<String>naturalOrder()))
          .thenComparing(Subscriber::memberId);

  @Override
  public SortedMap<String, PartitionSet> assign(
      SortedMap<String, Subscriber> subscribers, ToIntFunction<Uuid> partitionsOf) {
    SortedMap<String, PartitionSet.Builder> shares = new TreeMap<>();
    subscribers.keySet().forEach(memberId -> shares.put(memberId, new PartitionSet.Builder()));
    Assignor.byTopic(subscribers)
        .forEach((topicId, all) -> share(topicId, partitionsOf.applyAsInt(topicId), all, shares));
    SortedMap<String, PartitionSet> assigned = new TreeMap<>();
    shares.forEach((memberId, share) -> assigned.put(memberId, share.build()));
    return assigned;
  }

  private static void share(
      Uuid topicId,
      int partitionCount,
      List<Subscriber> subscribers,
      SortedMap<String, PartitionSet.Builder> shares) {
    List<Subscriber> inOrder = new ArrayList<>(subscribers);
    inOrder.sort(ORDER);
    int least = partitionCount / inOrder.size();
    int withOneMore = partitionCount % inOrder.size();
    int next = 0;
    for (int place = 0; place < inOrder.size(); place++) {
      int end = next + least + (place < withOneMore ? 1 : 0);
      PartitionSet.Builder share =
          shares.computeIfAbsent(
              inOrder.get(place).memberId(), memberId -> new PartitionSet.Builder());
      while (next < end) {
        share.add(topicId, next++);
      }
    }
  }
}
