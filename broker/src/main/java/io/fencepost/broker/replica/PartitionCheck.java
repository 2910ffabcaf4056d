package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.LogCheck;
import io.fencepost.broker.log.Snapshot;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.producer.ProducerEntry;
import io.fencepost.broker.producer.ProducerReplay;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import io.fencepost.broker.producer.SnapshotComparison;
import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks a partition's directory: its log, and whether snapshots and aborted transactions are what
 * the batches themselves say. Changes nothing. Memory grows with the number of producers only.
 */
public final class PartitionCheck implements LogCheck.Reader {
  private final LogCheck log;
  private final Findings findings;

  /** Null while it is not known how the producers stand: behind missing batches. */
  private @Nullable ProducerStates producers;

  private long batchCount;
  private long maxProducerId = -1;

  private PartitionCheck(Disk disk, String directory, boolean mayHaveGaps, Findings findings) {
    this.findings = findings;
    this.log = new LogCheck(disk, directory, mayHaveGaps, findings);
  }

  /**
   * A transaction without marker.
   *
   * @param firstOffset of its first record: no reader of committed records gets further
   */
  public record Open(long producerId, short producerEpoch, long firstOffset) {}

  /**
   * What the log holds.
   *
   * @param maxProducerId that wrote anything; -1 if none did
   * @param open by producer id
   */
  public record Summary(
      long startOffset, long endOffset, long batchCount, long maxProducerId, List<Open> open) {}

  /**
   * Looks at everything in the directory.
   *
   * @param topicId whose it must be
   * @param mayHaveGaps whether compaction may have removed offsets
   */
  public static Summary run(
      Disk disk, String directory, Uuid topicId, boolean mayHaveGaps, Findings findings) {
    PartitionIdentity.check(disk, directory, topicId, findings);
    PartitionCheck check = new PartitionCheck(disk, directory, mayHaveGaps, findings);
    check.log.run(check);
    return new Summary(
        check.log.startOffset(),
        check.log.endOffset(),
        check.batchCount,
        check.maxProducerId,
        check.open());
  }

  private List<Open> open() {
    List<Open> open = new ArrayList<>();
    if (producers != null) {
      for (ProducerEntry entry : producers.sorted()) {
        if (entry.hasOpenTransaction()) {
          open.add(new Open(entry.producerId(), entry.epoch(), entry.openFirstOffset()));
        }
      }
    }
    return open;
  }

  @Override
  public void onBatch(BatchView batch, String file, long position) {
    if (batchCount++ == 0 && batch.baseOffset() == 0) {
      producers = new ProducerStates();
    }
    maxProducerId = Math.max(maxProducerId, batch.producerId());
    try {
      if (producers != null) {
        replay(producers, batch, file, position);
      } else {
        acceptAborted(batch);
      }
    } catch (MalformedBatchException damaged) {
      findings.damage(file, position, String.valueOf(damaged.getMessage()));
    }
  }

  private void acceptAborted(BatchView batch) {
    ControlMarker marker = batch.isControl() ? ControlMarker.of(batch) : null;
    if (marker != null && !marker.commit()) {
      log.acceptAborted(batch.producerId(), batch.baseOffset());
    }
  }

  private void replay(ProducerStates states, BatchView batch, String file, long position) {
    String objection = ProducerReplay.objection(states, batch);
    if (objection != null && !log.wasCompacted()) {
      findings.damage(file, position, "offset " + batch.baseOffset() + ": " + objection);
    }
    AbortedTxn aborted = Aborts.of(ProducerReplay.apply(states, batch, batch.baseOffset()), states);
    if (log.wasCompacted()) {
      acceptAborted(batch);
    } else if (aborted != null) {
      log.expectAborted(aborted);
    }
    states.onHighWatermark(batch.nextOffset());
  }

  @Override
  public void onHole() {
    producers = null;
  }

  @Override
  public void onSnapshot(Snapshot snapshot, String file) {
    ProducerStates saved;
    try (AppendFile open = snapshot.open()) {
      saved = ProducerSnapshot.read(open, snapshot.offset());
    }
    if (saved == null) {
      findings.damage(
          file,
          Finding.WHOLE,
          "the content does not fit its checksum: the next start reads the log" + " instead");
    } else if (producers == null || log.wasCompacted()) {
      producers = SnapshotComparison.seed(saved);
    } else {
      String difference = new SnapshotComparison(producers).difference(saved);
      if (difference != null) {
        findings.damage(file, Finding.WHOLE, difference);
      }
    }
  }
}
