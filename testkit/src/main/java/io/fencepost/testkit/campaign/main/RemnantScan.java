package io.fencepost.testkit.campaign.main;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Remnant;
import io.fencepost.testkit.history.Shrinking;
import io.fencepost.txn.txn.ProducerIdentity;
import java.nio.file.Path;
import java.util.TreeSet;

/** Writes down what compaction and retention have left in the logs of one stopped broker. */
final class RemnantScan {
  private final int broker;
  private final StoppedLogs logs;
  private final Recorder recorder;

  RemnantScan(int broker, Path directory, Recorder recorder) {
    this.broker = broker;
    this.logs = new StoppedLogs(directory, recorder);
    this.recorder = recorder;
  }

  void run() {
    logs.walk(Shrinking::includes, this::batch);
  }

  private void batch(TopicPartition partition, BatchView batch) {
    recorder.add(
        new Event.Remnant(
            broker,
            partition,
            kind(batch),
            batch.baseOffset(),
            batch.lastOffset(),
            batch.recordCount(),
            new ProducerIdentity(batch.producerId(), batch.producerEpoch()),
            batch.lastSequence(),
            batch.isControl() ? new TreeSet<>() : StoppedLogs.transactions(batch)));
  }

  private static Remnant.Kind kind(BatchView batch) {
    // A marker that is gone may have left an empty batch in its place.
    if (batch.isControl() && batch.recordCount() > 0) {
      ControlMarker marker = ControlMarker.of(batch);
      if (marker != null) {
        return marker.commit() ? Remnant.Kind.COMMIT : Remnant.Kind.ABORT;
      }
    }
    return batch.isTransactional() && !batch.isControl()
        ? Remnant.Kind.TRANSACTIONAL
        : Remnant.Kind.PLAIN;
  }
}
