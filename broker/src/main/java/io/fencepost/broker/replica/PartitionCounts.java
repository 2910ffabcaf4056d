package io.fencepost.broker.replica;

/**
 * What is watched in a partition.
 *
 * @param stableLag offsets that readers of committed records are behind all others
 * @param producerIds that are remembered; heap is per id
 */
public record PartitionCounts(long stableLag, int producerIds) {
  static PartitionCounts of(Partition partition) {
    return new PartitionCounts(
        partition.highWatermark() - partition.lastStableOffset(), partition.producers().size());
  }
}
