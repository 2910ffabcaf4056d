package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Partitions by topic id, in order. Immutable; no topic is listed without partitions. */
public final class PartitionSet {
  public static final PartitionSet EMPTY = new Builder().build();

  private final SortedMap<Uuid, SortedSet<Integer>> partitions;

  private PartitionSet(SortedMap<Uuid, SortedSet<Integer>> partitions) {
    this.partitions = partitions;
  }

  /** Collects partitions. Not thread-safe. */
  public static final class Builder {
    private final SortedMap<Uuid, SortedSet<Integer>> partitions = new TreeMap<>();

    public Builder add(Uuid topicId, int partition) {
      partitions.computeIfAbsent(topicId, id -> new TreeSet<>()).add(partition);
      return this;
    }

    public PartitionSet build() {
      return new PartitionSet(partitions);
    }
  }

  /** Sees one partition after the other. */
  @FunctionalInterface
  public interface Visitor {
    void partition(Uuid topicId, int partition);
  }

  public void forEach(Visitor visitor) {
    partitions.forEach(
        (topicId, indexes) -> indexes.forEach(index -> visitor.partition(topicId, index)));
  }

  public boolean contains(Uuid topicId, int partition) {
    SortedSet<Integer> indexes = partitions.get(topicId);
    return indexes != null && indexes.contains(partition);
  }

  public boolean isEmpty() {
    return partitions.isEmpty();
  }

  public int size() {
    int size = 0;
    for (SortedSet<Integer> indexes : partitions.values()) {
      size += indexes.size();
    }
    return size;
  }

  public Iterable<Uuid> topicIds() {
    return Collections.unmodifiableSet(partitions.keySet());
  }

  /** The partitions of one topic, in order. */
  public List<Integer> of(Uuid topicId) {
    SortedSet<Integer> indexes = partitions.get(topicId);
    return indexes == null ? List.of() : new ArrayList<>(indexes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PartitionSet that && partitions.equals(that.partitions);
  }

  @Override
  public int hashCode() {
    return partitions.hashCode();
  }

  @Override
  public String toString() {
    return partitions.toString();
  }
}
