package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.PartitionLog;
import io.fencepost.broker.log.Snapshot;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.producer.ProducerReplay;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import java.util.ArrayList;
import java.util.List;

/**
 * Producer states from a log: the newest snapshot that is intact and not ahead of the log, then
 * every batch behind it. A damaged snapshot is dropped, and the one before is tried.
 */
final class PartitionRecovery {
  private final ProducerStates producers;
  private final long nowMs;
  private final List<AbortedTxn> aborted = new ArrayList<>();

  private PartitionRecovery(ProducerStates producers, long nowMs) {
    this.producers = producers;
    this.nowMs = nowMs;
  }

  /** The producers as of the log's end; adds what its aborted index may lack. */
  static ProducerStates producers(PartitionLog log, long nowMs) {
    ProducerStates states = null;
    long fromOffset = 0;
    while (states == null) {
      Snapshot snapshot = log.newestSnapshot();
      if (snapshot == null) {
        states = new ProducerStates();
        break;
      }
      try (AppendFile file = snapshot.open()) {
        states = ProducerSnapshot.read(file, snapshot.offset());
      }
      if (states == null) {
        log.dropSnapshot(snapshot.offset());
      } else {
        fromOffset = snapshot.offset();
      }
    }
    PartitionRecovery recovery = new PartitionRecovery(states, nowMs);
    if (fromOffset < log.endOffset()) {
      log.replay(fromOffset, recovery::onBatch);
    }
    recovery.aborted.forEach(log::addAborted);
    return states;
  }

  private void onBatch(BatchView batch) {
    // Its true time of arrival is not in the log: now is late, so nothing expires too soon.
    AbortedTxn found = Aborts.of(ProducerReplay.apply(producers, batch, nowMs), producers);
    if (found != null) {
      aborted.add(found);
    }
  }
}
