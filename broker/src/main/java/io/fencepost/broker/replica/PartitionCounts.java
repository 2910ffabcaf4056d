package io.fencepost.broker.replica;

/**
 * What is watched in a partition.
 *
 * @param stableLag offsets that readers of committed records are behind all others
 * @param producerIds that are remembered; heap is per id
 * @param waitingReaders fetches that wait for more to read
 */
public record PartitionCounts(long stableLag, int producerIds, int waitingReaders) {
  static PartitionCounts of(Partition partition) {
    return new PartitionCounts(
        partition.highWatermark() - partition.lastStableOffset(),
        partition.producers().size(),
        partition.waits().readerCount());
  }
}
