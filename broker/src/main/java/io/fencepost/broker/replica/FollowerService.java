package io.fencepost.broker.replica;

import io.fencepost.broker.log.EpochEnd;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A leader's answers to its followers. Under the same lock as the partition. */
final class FollowerService {
  private final Partition partition;
  private final PartitionReads reads;
  private final Clock clock;

  FollowerService(Partition partition, PartitionReads reads, Clock clock) {
    this.partition = partition;
    this.reads = reads;
    this.clock = clock;
  }

  /** Notes how far the follower is, and returns what it gets; null if it has to wait. */
  @Nullable FollowerAnswer serve(FollowerFetch fetch, Effects effects) {
    WireError refusal = refusal(fetch);
    if (refusal != WireError.NONE) {
      return FollowerAnswer.refused(refusal);
    }
    PartitionLog log = partition.log();
    if (fetch.offset() < log.startOffset()) {
      return new FollowerAnswer(
          WireError.OFFSET_OUT_OF_RANGE,
          null,
          partition.highWatermark(),
          log.startOffset(),
          ByteBuffer.allocate(0));
    }
    EpochEnd parted = whereItParted(fetch);
    if (parted != null) {
      return FollowerAnswer.parted(parted, partition.highWatermark(), log.startOffset());
    }
    long nowNanos = clock.monotonicNanos();
    IsrTracker tracker = partition.tracker();
    tracker.onWaiting(fetch.followerId(), false, nowNanos);
    tracker.onFetch(
        fetch.followerId(), fetch.brokerEpoch(), fetch.offset(), log.endOffset(), nowNanos);
    partition.advance(effects);
    if (!WaitingFollowers.hasNews(partition, fetch)) {
      tracker.onWaiting(fetch.followerId(), true, nowNanos);
      return null;
    }
    return records(fetch);
  }

  private WireError refusal(FollowerFetch fetch) {
    if (!partition.isLeader()) {
      return WireError.NOT_LEADER_OR_FOLLOWER;
    }
    if (fetch.leaderEpoch() != partition.leaderEpoch()) {
      return fetch.leaderEpoch() < partition.leaderEpoch()
          ? WireError.FENCED_LEADER_EPOCH
          : WireError.UNKNOWN_LEADER_EPOCH;
    }
    if (!partition.tracker().isFollower(fetch.followerId())) {
      return WireError.NOT_LEADER_OR_FOLLOWER;
    }
    return partition.brokenBy() == null ? WireError.NONE : WireError.KAFKA_STORAGE_ERROR;
  }

  /** Null if all that the follower has is a beginning of this log. */
  private @Nullable EpochEnd whereItParted(FollowerFetch fetch) {
    long logEnd = partition.log().endOffset();
    EpochAnswer known = reads.endOfEpoch(fetch.lastEpoch(), fetch.leaderEpoch());
    if (fetch.lastEpoch() < 0 || known.leaderEpoch() < 0) {
      // One of the two logs is empty.
      return fetch.offset() > logEnd ? new EpochEnd(-1, logEnd) : null;
    }
    return known.leaderEpoch() < fetch.lastEpoch() || known.endOffset() < fetch.offset()
        ? new EpochEnd(known.leaderEpoch(), known.endOffset())
        : null;
  }

  private FollowerAnswer records(FollowerFetch fetch) {
    PartitionLog log = partition.log();
    ByteBuffer records;
    try {
      records =
          log.read(fetch.offset(), fetch.maxBytes(), true, log.endOffset()).bytes().toBuffer();
    } catch (DiskException unreadable) {
      return FollowerAnswer.refused(WireError.KAFKA_STORAGE_ERROR);
    }
    return FollowerAnswer.of(partition.highWatermark(), log.startOffset(), records);
  }
}
