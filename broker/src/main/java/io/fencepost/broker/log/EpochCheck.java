package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.port.Disk;
import org.jspecify.annotations.Nullable;

/** Compares the leader epochs that the batches carry with each other and with the checkpoint. */
final class EpochCheck {
  private final String path;
  private final @Nullable LeaderEpochs epochs;
  private final Findings findings;
  private int epoch = -1;
  private long lastOffset = -1;

  private EpochCheck(String path, @Nullable LeaderEpochs epochs, Findings findings) {
    this.path = path;
    this.epochs = epochs;
    this.findings = findings;
  }

  static EpochCheck load(Disk disk, String path, Findings findings) {
    LeaderEpochs epochs = LeaderEpochs.load(disk, path);
    if (epochs == null) {
      findings.damage(
          path,
          Finding.WHOLE,
          "it is no list of growing epochs and offsets: the next start reads"
              + " the whole log to build it anew");
    }
    return new EpochCheck(path, epochs, findings);
  }

  void onBatch(BatchView batch, String file, long position) {
    int found = batch.leaderEpoch();
    if (found < epoch) {
      findings.damage(
          file,
          position,
          "offset %d is of leader epoch %d, after epoch %d"
              .formatted(batch.baseOffset(), found, epoch));
    } else if (found > epoch) {
      compare(lastOffset);
      epoch = found;
      compare(batch.baseOffset());
    }
    lastOffset = batch.baseOffset();
  }

  /** The batches go on elsewhere; the last one that was seen still counts. */
  void onHole() {
    compare(lastOffset);
    lastOffset = -1;
  }

  void finish(long startOffset, long endOffset) {
    compare(lastOffset);
    if (epochs != null && startOffset < endOffset && epochs.startsBehind(endOffset)) {
      findings.damage(
          path,
          Finding.WHOLE,
          "the latest epoch begins behind the end of the log, offset " + endOffset);
    }
  }

  private void compare(long offset) {
    if (epochs != null && offset >= 0 && epoch >= 0 && epochs.epochAt(offset) != epoch) {
      findings.damage(
          path,
          Finding.WHOLE,
          "offset %d is of leader epoch %d, the file says %d"
              .formatted(offset, epoch, epochs.epochAt(offset)));
    }
  }
}
