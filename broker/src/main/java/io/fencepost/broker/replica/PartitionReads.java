package io.fencepost.broker.replica;

import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.DamagedLogException;
import io.fencepost.broker.log.EpochEnd;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.log.ReadResult;
import io.fencepost.broker.log.TimestampOffset;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.producer.ProducerEntry;
import io.fencepost.broker.testing.Rule;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** What can be asked of a partition, and what ages in it. Under the same lock as the partition. */
final class PartitionReads {
  private static final long LATEST = -1;
  private static final long EARLIEST = -2;
  private static final long MAX_TIMESTAMP = -3;
  private static final long EARLIEST_LOCAL = -4;
  private static final long LATEST_TIERED = -5;
  private static final long EARLIEST_PENDING_UPLOAD = -6;
  private static final int NO_EPOCH = -1;

  private final Partition partition;
  private final Consumer<String> notices;

  /** The last damage that was told, so that a reader who tries again fills no log file. */
  private String toldDamage = "";

  PartitionReads(Partition partition, Consumer<String> notices) {
    this.partition = partition;
    this.notices = notices;
  }

  private PartitionLog log() {
    return partition.log();
  }

  /** NONE, or why a client with that leader epoch must refresh its metadata or wait. */
  private WireError checkEpoch(int currentLeaderEpoch) {
    if (!partition.isLeader()) {
      return WireError.NOT_LEADER_OR_FOLLOWER;
    }
    if (currentLeaderEpoch == NO_EPOCH || currentLeaderEpoch == partition.leaderEpoch()) {
      return WireError.NONE;
    }
    return currentLeaderEpoch < partition.leaderEpoch()
        ? WireError.FENCED_LEADER_EPOCH
        : WireError.UNKNOWN_LEADER_EPOCH;
  }

  FetchResult fetch(FetchRead read) {
    long logStart = log().startOffset();
    WireError stale = checkEpoch(read.currentLeaderEpoch());
    if (stale != WireError.NONE) {
      return FetchResult.refused(stale);
    }
    if (read.offset() < logStart || read.offset() > log().endOffset()) {
      return FetchResult.refused(WireError.OFFSET_OUT_OF_RANGE);
    }
    long visibleEnd = partition.visibleEnd(read.isolation());
    ReadResult result;
    List<AbortedTxn> aborted = null;
    try {
      result = log().read(read.offset(), read.maxBytes(), read.atLeastOne(), visibleEnd);
      if (read.isolation() == Isolation.COMMITTED) {
        aborted = aborted(read.offset(), result);
      }
    } catch (DamagedLogException e) {
      tell(read.offset(), e);
      return FetchResult.refused(WireError.CORRUPT_MESSAGE);
    } catch (DiskException e) {
      return FetchResult.refused(WireError.KAFKA_STORAGE_ERROR);
    }
    return new FetchResult(
        WireError.NONE,
        partition.highWatermark(),
        partition.lastStableOffset(),
        logStart,
        visibleEnd,
        result.nextOffset() < visibleEnd,
        result.bytes(),
        aborted);
  }

  private void tell(long offset, DamagedLogException damage) {
    String message = String.valueOf(damage.getMessage());
    if (!message.equals(toldDamage)) {
      toldDamage = message;
      notices.accept(
          partition.topicPartition() + " cannot be read at offset " + offset + ": " + message);
    }
  }

  private List<AbortedTxn> aborted(long fromOffset, ReadResult result) {
    if (result.nextOffset() <= fromOffset) {
      return List.of();
    }
    // A fetch that starts inside a batch gets the whole batch, so its whole range counts.
    List<AbortedTxn> found =
        log().aborted(Math.min(fromOffset, result.firstOffset()), result.nextOffset());
    if (found.size() < 2) {
      return found;
    }
    if (!Rule.ABORTED_LIST_IS_WHOLE.holds()) {
      return found.subList(0, 1);
    }
    List<AbortedTxn> sorted = new ArrayList<>(found);
    sorted.sort(Comparator.comparingLong(AbortedTxn::firstOffset));
    return sorted;
  }

  ByteBuffer committedBytes(long fromOffset, int maxBytes) {
    long from = Math.max(fromOffset, log().startOffset());
    return from >= partition.highWatermark()
        ? ByteBuffer.allocate(0)
        : log().read(from, maxBytes, true, partition.highWatermark()).bytes().toBuffer();
  }

  OffsetAnswer offsetFor(long timestamp, Isolation isolation, int currentLeaderEpoch) {
    WireError stale = checkEpoch(currentLeaderEpoch);
    if (stale != WireError.NONE) {
      return OffsetAnswer.refused(stale);
    }
    if (timestamp == LATEST) {
      // Readers must not see the end go back because a new leader has yet to hear of its followers.
      if (partition.highWatermark() < partition.term().startOffset()) {
        return OffsetAnswer.refused(WireError.OFFSET_NOT_AVAILABLE);
      }
      return at(partition.visibleEnd(isolation), partition.leaderEpoch());
    }
    if (timestamp == EARLIEST || timestamp == EARLIEST_LOCAL) {
      long start = log().startOffset();
      // Nobody has written at the end yet; whoever does will do so in this epoch.
      boolean isEmpty = start == log().endOffset();
      return at(start, isEmpty ? partition.leaderEpoch() : log().leaderEpochs().epochAt(start));
    }
    if (timestamp == LATEST_TIERED || timestamp == EARLIEST_PENDING_UPLOAD) {
      // There is no tiered storage, so nothing is tiered or waits for it.
      return OffsetAnswer.NOTHING;
    }
    if (timestamp < 0 && timestamp != MAX_TIMESTAMP) {
      return OffsetAnswer.refused(WireError.UNSUPPORTED_VERSION);
    }
    try {
      TimestampOffset found =
          timestamp == MAX_TIMESTAMP ? log().maxTimestamp() : log().offsetForTimestamp(timestamp);
      return found == null || found.offset() >= partition.visibleEnd(isolation)
          ? OffsetAnswer.NOTHING
          : new OffsetAnswer(
              WireError.NONE, found.timestamp(), found.offset(), found.leaderEpoch());
    } catch (DiskException e) {
      return OffsetAnswer.refused(WireError.KAFKA_STORAGE_ERROR);
    }
  }

  private static OffsetAnswer at(long offset, int leaderEpoch) {
    return new OffsetAnswer(WireError.NONE, -1, offset, leaderEpoch);
  }

  EpochAnswer endOfEpoch(int leaderEpoch, int currentLeaderEpoch) {
    WireError stale = checkEpoch(currentLeaderEpoch);
    if (stale != WireError.NONE) {
      return new EpochAnswer(stale, -1, -1);
    }
    if (leaderEpoch == partition.leaderEpoch()) {
      return new EpochAnswer(WireError.NONE, leaderEpoch, log().endOffset());
    }
    int latestEpoch = log().leaderEpochs().latestEpoch();
    if (leaderEpoch < partition.leaderEpoch() && leaderEpoch > latestEpoch && latestEpoch >= 0) {
      // Nothing was written in it, nor since: the one before lasts to the end.
      return new EpochAnswer(WireError.NONE, latestEpoch, log().endOffset());
    }
    EpochEnd end = log().endOffsetForEpoch(leaderEpoch);
    return new EpochAnswer(WireError.NONE, end.leaderEpoch(), end.endOffset());
  }

  DeleteAnswer deleteRecords(long offset) {
    if (!partition.isLeader()) {
      return new DeleteAnswer(WireError.NOT_LEADER_OR_FOLLOWER, -1);
    }
    if (!partition.config().deleted()) {
      return new DeleteAnswer(WireError.POLICY_VIOLATION, -1);
    }
    long target = offset == -1 ? partition.highWatermark() : offset;
    if (target < 0 || target > partition.highWatermark()) {
      return new DeleteAnswer(WireError.OFFSET_OUT_OF_RANGE, -1);
    }
    try {
      log().advanceStart(target);
      return new DeleteAnswer(WireError.NONE, log().startOffset());
    } catch (DiskException e) {
      return new DeleteAnswer(WireError.KAFKA_STORAGE_ERROR, -1);
    }
  }

  List<ActiveProducer> activeProducers() {
    List<ActiveProducer> active = new ArrayList<>();
    for (ProducerEntry entry : partition.producers().sorted()) {
      active.add(
          new ActiveProducer(
              entry.producerId(),
              entry.epoch(),
              entry.lastSequence(),
              entry.lastSeenMs(),
              entry.coordinatorEpoch(),
              entry.openFirstOffset()));
    }
    return active;
  }

  void expireProducers() {
    partition.producers().expire(partition.steadyMs(), partition.config().producerIdExpirationMs());
  }

  /** Retention stays below the LSO: a reader must be able to learn how a transaction ended. */
  void applyRetention(long nowMs) {
    if (!partition.config().deleted()) {
      return;
    }
    try {
      log().applyRetention(nowMs, partition.lastStableOffset());
    } catch (DiskException e) {
      // Nothing is lost by keeping old segments: the next time tries again.
      return;
    }
  }
}
