package io.fencepost.samples.client;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;

/** Where one group stands, and how to move it. */
public final class GroupOffsets {
  /** By topic, then number. */
  public static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  private final Administration cluster;
  private final String group;

  /** Asks this cluster about the group. */
  public GroupOffsets(Administration cluster, String group) {
    this.cluster = cluster;
    this.group = group;
  }

  /** Where to move to. */
  public record Target(Kind kind, long value) {
    /** How the value is meant. */
    public enum Kind {
      EARLIEST,
      LATEST,
      OFFSET,
      TIME,
      SHIFT
    }

    /** The start of the log. */
    public static Target earliest() {
      return new Target(Kind.EARLIEST, 0);
    }

    /** The end of the log. */
    public static Target latest() {
      return new Target(Kind.LATEST, 0);
    }

    /** This offset. */
    public static Target offset(long offset) {
      return new Target(Kind.OFFSET, offset);
    }

    /** The first record of this time or later. */
    public static Target time(long epochMs) {
      return new Target(Kind.TIME, epochMs);
    }

    /** From where the group is. */
    public static Target shift(long by) {
      return new Target(Kind.SHIFT, by);
    }
  }

  /** The committed offsets. */
  public TreeMap<TopicPartition, @Nullable Long> committed() {
    TreeMap<TopicPartition, @Nullable Long> offsets = new TreeMap<>(ORDER);
    cluster
        .await(cluster.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
        .forEach(
            (partition, offset) -> {
              if (offset != null) {
                offsets.put(partition, offset.offset());
              }
            });
    return offsets;
  }

  /** How far readers of committed records get; partitions that are gone are left out. */
  public TreeMap<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions) {
    Set<String> topics =
        cluster.await(
            cluster.admin().listTopics(new ListTopicsOptions().listInternal(true)).names());
    List<TopicPartition> present =
        partitions.stream().filter(partition -> topics.contains(partition.topic())).toList();
    return offsets(present, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
  }

  private TreeMap<TopicPartition, Long> offsets(
      Collection<TopicPartition> partitions, OffsetSpec which, IsolationLevel isolation) {
    TreeMap<TopicPartition, OffsetSpec> wanted = new TreeMap<>(ORDER);
    partitions.forEach(partition -> wanted.put(partition, which));
    TreeMap<TopicPartition, Long> found = new TreeMap<>(ORDER);
    if (!wanted.isEmpty()) {
      cluster
          .await(cluster.admin().listOffsets(wanted, new ListOffsetsOptions(isolation)).all())
          .forEach((partition, info) -> found.put(partition, info.offset()));
    }
    return found;
  }

  /**
   * The offsets that the target means, inside the logs.
   *
   * @param numbers the partitions, all if it is empty
   */
  public TreeMap<TopicPartition, Long> resolve(String topic, List<Integer> numbers, Target target) {
    List<TopicPartition> partitions = partitions(topic, numbers);
    TreeMap<TopicPartition, Long> starts =
        offsets(partitions, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    TreeMap<TopicPartition, Long> ends =
        offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    TreeMap<TopicPartition, Long> wanted =
        switch (target.kind()) {
          case EARLIEST -> starts;
          case LATEST -> ends;
          case OFFSET -> all(partitions, target.value());
          case TIME ->
              offsets(
                  partitions,
                  OffsetSpec.forTimestamp(target.value()),
                  IsolationLevel.READ_UNCOMMITTED);
          case SHIFT -> shifted(partitions, target.value());
        };
    TreeMap<TopicPartition, Long> inside = new TreeMap<>(ORDER);
    wanted.forEach(
        (partition, offset) -> {
          long start = starts.getOrDefault(partition, 0L);
          long end = ends.getOrDefault(partition, start);
          // No record of that time or later: the end.
          boolean isBehind = offset < 0 && target.kind() == Target.Kind.TIME;
          inside.put(partition, isBehind ? end : Math.min(end, Math.max(start, offset)));
        });
    return inside;
  }

  private List<TopicPartition> partitions(String topic, List<Integer> numbers) {
    List<TopicPartitionInfo> infos =
        cluster
            .await(cluster.admin().describeTopics(List.of(topic)).allTopicNames())
            .values()
            .iterator()
            .next()
            .partitions();
    for (int number : numbers) {
      if (infos.stream().noneMatch(info -> info.partition() == number)) {
        throw new UsageException("topic " + topic + " has no partition " + number);
      }
    }
    return infos.stream()
        .map(TopicPartitionInfo::partition)
        .filter(number -> numbers.isEmpty() || numbers.contains(number))
        .map(number -> new TopicPartition(topic, number))
        .toList();
  }

  private static TreeMap<TopicPartition, Long> all(List<TopicPartition> partitions, long offset) {
    TreeMap<TopicPartition, Long> offsets = new TreeMap<>(ORDER);
    partitions.forEach(partition -> offsets.put(partition, offset));
    return offsets;
  }

  private TreeMap<TopicPartition, Long> shifted(List<TopicPartition> partitions, long by) {
    TreeMap<TopicPartition, Long> offsets = new TreeMap<>(ORDER);
    committed()
        .forEach(
            (partition, offset) -> {
              if (offset != null && partitions.contains(partition)) {
                offsets.put(partition, Math.addExact(offset, by));
              }
            });
    return offsets;
  }

  /** Commits; a group with members is refused by its broker. */
  public void commit(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, OffsetAndMetadata> wanted = new TreeMap<>(ORDER);
    offsets.forEach((partition, offset) -> wanted.put(partition, new OffsetAndMetadata(offset)));
    cluster.await(cluster.admin().alterConsumerGroupOffsets(group, wanted).all());
  }
}
