package io.fencepost.txn.group.consumer;

import io.fencepost.broker.wire.Uuid;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What a member has, and since which epoch of the group: a commit of a partition is good from the
 * epoch on at which the member got it (KIP-1251). Immutable.
 */
public final class OwnedPartitions {
  public static final OwnedPartitions NONE = new Builder().build();

  private final SortedMap<Uuid, SortedMap<Integer, Integer>> epochs;

  private OwnedPartitions(SortedMap<Uuid, SortedMap<Integer, Integer>> epochs) {
    this.epochs = epochs;
  }

  /** Collects partitions. Not thread-safe. */
  public static final class Builder {
    private final SortedMap<Uuid, SortedMap<Integer, Integer>> epochs = new TreeMap<>();

    public Builder add(Uuid topicId, int partition, int sinceEpoch) {
      epochs.computeIfAbsent(topicId, id -> new TreeMap<>()).put(partition, sinceEpoch);
      return this;
    }

    public OwnedPartitions build() {
      return new OwnedPartitions(epochs);
    }
  }

  /** Sees one partition after the other. */
  @FunctionalInterface
  public interface Visitor {
    void partition(Uuid topicId, int partition, int sinceEpoch);
  }

  public void forEach(Visitor visitor) {
    epochs.forEach(
        (topicId, owned) ->
            owned.forEach((partition, epoch) -> visitor.partition(topicId, partition, epoch)));
  }

  /** Since when the partition is owned; null if it is not. */
  public @Nullable Integer sinceEpoch(Uuid topicId, int partition) {
    SortedMap<Integer, Integer> owned = epochs.get(topicId);
    return owned == null ? null : owned.get(partition);
  }

  public boolean contains(Uuid topicId, int partition) {
    return sinceEpoch(topicId, partition) != null;
  }

  public boolean isEmpty() {
    return epochs.isEmpty();
  }

  public Iterable<Uuid> topicIds() {
    return Collections.unmodifiableSet(epochs.keySet());
  }

  /** The partitions of one topic with their epochs, in order. */
  public SortedMap<Integer, Integer> of(Uuid topicId) {
    return Collections.unmodifiableSortedMap(epochs.getOrDefault(topicId, new TreeMap<>()));
  }

  /** The partitions alone. */
  public PartitionSet partitions() {
    PartitionSet.Builder partitions = new PartitionSet.Builder();
    forEach((topicId, partition, epoch) -> partitions.add(topicId, partition));
    return partitions.build();
  }

  /** Those that pass. */
  OwnedPartitions where(BiPredicate<Uuid, Integer> keep) {
    Builder kept = new Builder();
    forEach(
        (topicId, partition, epoch) -> {
          if (keep.test(topicId, partition)) {
            kept.add(topicId, partition, epoch);
          }
        });
    return kept.build();
  }

  /** These and the others. */
  OwnedPartitions plus(OwnedPartitions others) {
    Builder both = new Builder();
    forEach(both::add);
    others.forEach(both::add);
    return both.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OwnedPartitions that && epochs.equals(that.epochs);
  }

  @Override
  public int hashCode() {
    return epochs.hashCode();
  }

  @Override
  public String toString() {
    return epochs.toString();
  }
}
