package io.fencepost.broker.replica;

import io.fencepost.broker.log.Compaction;
import io.fencepost.broker.log.CompactionRequest;
import io.fencepost.broker.log.Dirt;
import io.fencepost.broker.log.KeyOffsets;
import io.fencepost.broker.log.LastBatches;
import io.fencepost.broker.log.LogCompaction;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.producer.ProducerEntry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A partition's part in its compaction. Under the same lock as the partition. */
final class PartitionCleaning {
  private final Partition partition;
  private final Clock clock;

  PartitionCleaning(Partition partition, Clock clock) {
    this.partition = partition;
    this.clock = clock;
  }

  private LogCompaction compaction() {
    return partition.log().compaction();
  }

  /** Null if there is not enough below the bound to be worth it. */
  @Nullable Dirt worthwhile(long boundOffset) {
    PartitionConfig config = partition.config();
    if (!config.compacted() || !partition.isWritable()) {
      return null;
    }
    Dirt dirt = compaction().dirt(limit(boundOffset), clock.wallMillis(), config.compaction());
    return dirt.isWorthCompacting(config.compaction()) ? dirt : null;
  }

  @Nullable Compaction begin(long limitOffset, KeyOffsets newest) {
    return compaction()
        .begin(
            new CompactionRequest(
                limit(limitOffset),
                clock.wallMillis(),
                partition.config().compaction(),
                lastBatches(partition.producers().sorted()),
                newest));
  }

  /** What is above is not decided yet, or may still be lost. */
  long limit(long boundOffset) {
    return Math.min(boundOffset, partition.lastStableOffset());
  }

  private static LastBatches lastBatches(List<ProducerEntry> byId) {
    long[] offsets = new long[byId.size()];
    long[] markerProducers = new long[byId.size()];
    short[] markerEpochs = new short[byId.size()];
    int withBatch = 0;
    int without = 0;
    for (ProducerEntry entry : byId) {
      if (entry.batchCount() > 0) {
        offsets[withBatch++] = entry.lastOffset(entry.batchCount() - 1);
      } else {
        markerProducers[without] = entry.producerId();
        markerEpochs[without++] = entry.epoch();
      }
    }
    return new LastBatches(
        Arrays.copyOf(offsets, withBatch),
        Arrays.copyOf(markerProducers, without),
        Arrays.copyOf(markerEpochs, without));
  }

  void settle(Compaction run) {
    compaction().settle(run, clock.wallMillis(), clock.monotonicNanos());
  }

  void abandon(Compaction run) {
    compaction().abandon(run);
  }
}
