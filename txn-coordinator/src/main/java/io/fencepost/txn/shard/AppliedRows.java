package io.fencepost.txn.shard;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.table.ShardTables;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a shard as they follow the committed log. Its owner, the runtime while this broker
 * leads and else the replica, is the only one that changes these rows. Single-threaded: under the
 * owner's lock.
 *
 * @param <S> the shard
 */
final class AppliedRows<S extends Shard> {
  private final TopicPartition topicPartition;
  private final CommittedLog log;
  private final ShardTables tables;
  private final S shard;
  private final Consumer<String> notices;
  private final Replay replay;
  private long position;
  private int epoch = ShardTables.NO_EPOCH;
  private boolean isLoaded;

  /** How far the rows have come. */
  enum Progress {
    /** There is more to apply. */
    MORE,
    /** All that was committed at the beginning of the call is applied. */
    REACHED,
    /** The log has lost what the rows hold: {@link #open} them again. */
    DIVERGED
  }

  AppliedRows(
      TopicPartition topicPartition,
      CommittedLog log,
      ShardState<S> state,
      Consumer<String> notices) {
    this.topicPartition = topicPartition;
    this.log = log;
    this.tables = state.tables();
    this.shard = state.shard();
    this.isLoaded = state.isLoaded();
    this.notices = notices;
    this.replay = new Replay(shard, tables);
  }

  CommittedLog log() {
    return log;
  }

  /** The offset of the first record that is not in the rows. */
  long position() {
    return position;
  }

  /** Makes what is applied outlive any crash. */
  void flush() {
    tables.flush();
  }

  /**
   * Finds out where to go on, and has the shard loaded; drops rows that are not of this log. Rows
   * above the high watermark stay as long as the log has what they hold: it was committed once, and
   * will be again.
   */
  void open() {
    position = tables.appliedOffset();
    epoch = tables.appliedEpoch();
    String why = whyForeign();
    if (why != null) {
      notices.accept("State of " + topicPartition + " " + why + ": rebuilding it from the log");
      tables.wipe(shard.tables());
      position = 0;
      epoch = ShardTables.NO_EPOCH;
      isLoaded = false;
    }
    position = Math.max(position, log.startOffset());
    if (!isLoaded) {
      shard.load();
    }
    isLoaded = false;
  }

  private @Nullable String whyForeign() {
    if (tables.isOfOtherTopic()) {
      return "belongs to a deleted topic of that name";
    }
    long end = log.endOffset();
    if (position > end) {
      return "is ahead of its log, which lost records (%d > %d)".formatted(position, end);
    }
    return isOfLog()
        ? null
        : "holds records up to %d of leader epoch %d, which its log lost"
            .formatted(position, epoch);
  }

  private boolean isOfLog() {
    return epoch == ShardTables.NO_EPOCH || log.holds(epoch, position);
  }

  /**
   * Applies committed batches.
   *
   * @param reads at most so many times
   */
  Progress catchUp(int reads, int readBytes) {
    long target = log.highWatermark();
    for (int i = 0; i < reads; i++) {
      if (position >= target) {
        return Progress.REACHED;
      }
      ByteBuffer batches = log.read(position, readBytes);
      if (!isOfLog()) {
        return Progress.DIVERGED;
      }
      if (!batches.hasRemaining()) {
        return Progress.REACHED;
      }
      position = replay.apply(batches, position);
      epoch = replay.lastLeaderEpoch() == ShardTables.NO_EPOCH ? epoch : replay.lastLeaderEpoch();
    }
    return position >= target ? Progress.REACHED : Progress.MORE;
  }
}
