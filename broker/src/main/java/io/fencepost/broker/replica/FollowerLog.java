package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchCheck;
import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.EpochEnd;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.producer.ProducerReplay;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What a follower does with its leader's answers: it cuts off what the leader has not, appends what
 * it lacks, and only then takes over the high watermark. It never judges what producers sent: that
 * was the leader's business. Under the same lock as the partition.
 */
final class FollowerLog {
  private final Partition partition;
  private final Consumer<String> notices;
  private final BatchView view = new BatchView();

  FollowerLog(Partition partition, Consumer<String> notices) {
    this.partition = partition;
    this.notices = notices;
  }

  private PartitionLog log() {
    return partition.log();
  }

  /**
   * Cuts the log to the end of the greatest epoch, at most the leader's, that both have; where that
   * is not yet the common point, the next answer cuts further.
   */
  void cut(EpochEnd leaders) {
    long target = Math.min(leaders.endOffset(), log().endOffset());
    if (leaders.leaderEpoch() >= 0) {
      EpochEnd own = log().endOffsetForEpoch(leaders.leaderEpoch());
      target = own.leaderEpoch() < 0 ? target : Math.min(target, own.endOffset());
    }
    if (target < partition.highWatermark()) {
      notices.accept(
          partition.topicPartition()
              + ": committed records from offset "
              + target
              + " to "
              + partition.highWatermark()
              + " are lost, as its leader has not got them (epoch "
              + partition.leaderEpoch()
              + ")");
    }
    log().truncateTo(target);
    log().dropEmptyEpochs();
    partition.onTruncated();
  }

  /** The leader's log begins behind the end of this one: nothing of it is worth keeping. */
  void restartAt(long leaderStart) {
    log().resetTo(leaderStart);
    partition.onTruncated();
  }

  /** Whole batches that follow on the end of the log. */
  void append(ByteBuffer records) {
    for (int at = records.position(); at < records.limit(); at += view.sizeBytes()) {
      BatchCheck.Verdict verdict = BatchCheck.check(records, at);
      if (verdict != BatchCheck.Verdict.GOOD) {
        throw new MalformedBatchException(
            partition.topicPartition()
                + ": what the leader sent for offset "
                + log().endOffset()
                + " is damaged: "
                + verdict.sentence());
      }
      view.wrap(records, at);
    }
    log().append(records);
    for (int at = records.position(); at < records.limit(); at += view.sizeBytes()) {
      view.wrap(records, at);
      AbortedTxn aborted =
          Aborts.of(
              ProducerReplay.apply(partition.producers(), view, partition.steadyMs()),
              partition.producers());
      if (aborted != null) {
        log().addAborted(aborted);
      }
    }
  }

  /** What the leader says is committed and deleted, as far as it is here. */
  void follow(long leaderHighWatermark, long leaderStart, Effects effects) {
    partition.raiseHighWatermark(Math.min(leaderHighWatermark, log().endOffset()), effects);
    if (leaderStart > log().startOffset() && leaderStart <= partition.highWatermark()) {
      log().advanceStart(leaderStart);
    }
    partition.advance(effects);
  }
}
