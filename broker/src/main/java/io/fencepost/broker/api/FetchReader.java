package io.fencepost.broker.api;

import io.fencepost.broker.replica.FetchRead;
import io.fencepost.broker.replica.FetchResult;
import io.fencepost.broker.replica.Isolation;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the partitions of one fetch, in order, within its limits; may be repeated. */
final class FetchReader {
  private static final byte READ_COMMITTED = 1;

  private final PartitionLookup lookup;
  private final List<FetchTarget> targets;
  private final Isolation isolation;
  private final int maxBytes;

  FetchReader(
      PartitionLookup lookup, List<FetchTarget> targets, byte isolationLevel, int maxBytes) {
    this.lookup = lookup;
    this.targets = targets;
    this.isolation =
        isolationLevel == READ_COMMITTED ? Isolation.COMMITTED : Isolation.HIGH_WATERMARK;
    this.maxBytes = maxBytes;
  }

  /** What one partition gave; without a gate the result is an error. */
  record Read(FetchTarget target, @Nullable PartitionGate gate, FetchResult result) {}

  /**
   * All of them at one time.
   *
   * @param isFinal there is an error, or more data than the limits let through: waiting is useless
   */
  record Reads(List<Read> reads, int sizeBytes, boolean isFinal) {}

  Isolation isolation() {
    return isolation;
  }

  int maxBytes() {
    return maxBytes;
  }

  Reads read() {
    List<Read> reads = new ArrayList<>(targets.size());
    int sizeBytes = 0;
    boolean isFinal = targets.isEmpty();
    for (FetchTarget target : targets) {
      Read read = read(target, maxBytes - sizeBytes, sizeBytes == 0);
      reads.add(read);
      sizeBytes += read.result().records().sizeBytes();
      isFinal |= read.result().error() != WireError.NONE || read.result().hasMore();
    }
    return new Reads(reads, sizeBytes, isFinal);
  }

  private Read read(FetchTarget target, int leftBytes, boolean isFirst) {
    FetchTarget.Key key = target.key();
    // Who asks by id sends no name; the id 0 belongs to no topic.
    boolean byId = !key.topicId().equals(Uuid.ZERO) || key.topic().isEmpty();
    String topic = byId ? lookup.nameOf(key.topicId()) : key.topic();
    if (topic == null) {
      return new Read(target, null, FetchResult.refused(WireError.UNKNOWN_TOPIC_ID));
    }
    PartitionGate gate = lookup.find(topic, key.partition());
    if (gate == null) {
      WireError why = lookup.whyMissing(topic, key.partition());
      return new Read(target, null, FetchResult.refused(why));
    }
    if (byId && !gate.topicId().equals(key.topicId())) {
      return new Read(target, null, FetchResult.refused(WireError.INCONSISTENT_TOPIC_ID));
    }
    int limitBytes = Math.max(0, Math.min(leftBytes, target.maxBytes()));
    FetchRead read =
        new FetchRead(
            target.currentLeaderEpoch(), target.fetchOffset(), limitBytes, isFirst, isolation);
    return new Read(target, gate, gate.fetch(read));
  }
}
