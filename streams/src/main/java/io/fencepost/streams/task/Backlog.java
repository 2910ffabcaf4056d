package io.fencepost.streams.task;

import io.fencepost.streams.store.TaskId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Input that was polled and not processed yet, handed out in slices. A slice takes about {@link
 * #SLICE_MS}, so that a transaction is looked at in time however slow the user's code is; the
 * consumer's position stands behind the backlog.
 *
 * <p>Partitions of one group take turns by timestamp, as far as their records are here: the one
 * whose first record is the oldest, of equally old ones the one with the lower rank, then the one
 * whose topic is first in the alphabet. Offset order within a partition always holds.
 */
final class Backlog {
  private static final long SLICE_MS = 20;
  private static final int SLICE_MAX = 2_000;

  /** With whom a partition takes turns, and who is first at equal times. */
  record Place(TaskId group, int rank) {}

  private final Function<TopicPartition, Place> places;
  private final Map<TopicPartition, Lane> lanes = new LinkedHashMap<>();

  /** Per group its partitions with records; none is empty. */
  private final Map<TaskId, PriorityQueue<Lane>> groups = new LinkedHashMap<>();

  private final int sliceMin;
  private int sliceRecords;
  private int lastRecords;

  /**
   * Nothing waits.
   *
   * @param sliceMin the fewest records of a slice, whatever time they take
   */
  Backlog(int sliceMin, Function<TopicPartition, Place> places) {
    this.sliceMin = sliceMin;
    this.sliceRecords = Math.max(sliceMin, 64);
    this.places = places;
  }

  boolean isEmpty() {
    return lanes.isEmpty();
  }

  boolean holds(TopicPartition partition) {
    return lanes.containsKey(partition);
  }

  /** The partitions of which something waits. */
  Set<TopicPartition> partitions() {
    return lanes.keySet();
  }

  /** Offset of the first waiting record of that partition; null if there is none. */
  @Nullable Long firstOffset(TopicPartition partition) {
    Lane lane = lanes.get(partition);
    return lane == null ? null : lane.head().offset();
  }

  void add(List<Gateway.Batch> polled) {
    for (Gateway.Batch batch : polled) {
      Lane lane = lanes.get(batch.partition());
      if (lane == null) {
        Place place = places.apply(batch.partition());
        lane = new Lane(batch, place);
        lanes.put(batch.partition(), lane);
        groups.computeIfAbsent(place.group(), unused -> new PriorityQueue<>()).add(lane);
      } else {
        lane.batches.add(batch);
      }
    }
  }

  void remove(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Lane lane = lanes.remove(partition);
      if (lane != null) {
        removeFromGroup(lane);
      }
    }
  }

  private void removeFromGroup(Lane lane) {
    PriorityQueue<Lane> group = groups.get(lane.place.group());
    if (group != null) {
      group.remove(lane);
      dropIfEmpty(lane.place.group(), group);
    }
  }

  void clear() {
    lanes.clear();
    groups.clear();
  }

  /** The first group of which one partition that has records passes the test; null if none. */
  @Nullable TaskId nextGroup(Predicate<TopicPartition> isReady) {
    for (Map.Entry<TaskId, PriorityQueue<Lane>> group : groups.entrySet()) {
      if (isReady.test(group.getValue().element().partition)) {
        return group.getKey();
      }
    }
    return null;
  }

  /**
   * The next records of that group, in their order: runs of one partition each. Ends early where a
   * partition has no more records here, as the group may have to wait for it.
   */
  List<Gateway.Batch> next(TaskId groupId) {
    PriorityQueue<Lane> group = groups.get(groupId);
    if (group == null) {
      return List.of();
    }
    List<Gateway.Batch> runs = new ArrayList<>();
    int left = sliceRecords;
    while (left > 0) {
      Lane first = group.remove();
      Gateway.Batch run = first.take(left, group.peek());
      runs.add(run);
      left -= run.records().size();
      if (first.batches.isEmpty()) {
        lanes.remove(first.partition);
        dropIfEmpty(groupId, group);
        break;
      }
      group.add(first);
    }
    lastRecords = sliceRecords - left;
    return runs;
  }

  /**
   * What the records of the last slice took; the next ones are sized by it. Only they count: a
   * commit between two slices says nothing about the user's code.
   */
  void took(long ms) {
    if (ms > SLICE_MS) {
      long fitting = lastRecords * SLICE_MS / ms;
      sliceRecords = (int) Math.max(sliceMin, Math.min(sliceRecords, fitting));
    } else if (lastRecords >= sliceRecords) {
      sliceRecords = Math.max(sliceMin, Math.min(SLICE_MAX, sliceRecords * 2));
    }
  }

  private void dropIfEmpty(TaskId groupId, PriorityQueue<Lane> group) {
    if (group.isEmpty()) {
      groups.remove(groupId);
    }
  }

  /** What waits of one partition; never empty while the backlog knows it. */
  private static final class Lane implements Comparable<Lane> {
    final TopicPartition partition;
    final Place place;
    final ArrayDeque<Gateway.Batch> batches = new ArrayDeque<>();
    private int at;

    Lane(Gateway.Batch first, Place place) {
      this.partition = first.partition();
      this.place = place;
      batches.add(first);
    }

    ConsumerRecord<byte[], byte[]> head() {
      return batches.element().records().get(at);
    }

    /** The records that come before all of the other partition, no more than that many. */
    Gateway.Batch take(int most, @Nullable Lane other) {
      List<ConsumerRecord<byte[], byte[]>> records = batches.element().records();
      int from = at;
      int end = Math.min(records.size(), from + most);
      at = other == null ? end : endOfRun(records, end, other);
      List<ConsumerRecord<byte[], byte[]>> run = records.subList(from, at);
      if (at == records.size()) {
        batches.remove();
        at = 0;
      }
      return new Gateway.Batch(partition, run);
    }

    private int endOfRun(List<ConsumerRecord<byte[], byte[]>> records, int limit, Lane other) {
      long otherMs = other.head().timestamp();
      boolean isFirst = compareRank(other) < 0;
      int end = at + 1;
      while (end < limit) {
        long timeMs = records.get(end).timestamp();
        if (timeMs > otherMs || (timeMs == otherMs && !isFirst)) {
          break;
        }
        end++;
      }
      return end;
    }

    private int compareRank(Lane other) {
      int byRank = Integer.compare(place.rank, other.place.rank);
      return byRank == 0 ? partition.topic().compareTo(other.partition.topic()) : byRank;
    }

    @Override
    public int compareTo(Lane other) {
      int byTime = Long.compare(head().timestamp(), other.head().timestamp());
      return byTime == 0 ? compareRank(other) : byTime;
    }
  }
}
