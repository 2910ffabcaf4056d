package io.fencepost.testkit.campaign.main;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Shrinking;
import io.fencepost.txn.coordinator.TxnRecords;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Reads the logs of one stopped broker in order, and writes down what transactions left there. */
final class LogScan {
  private final StoppedLogs logs;
  private final Recorder recorder;

  LogScan(Path broker, Recorder recorder) {
    this.logs = new StoppedLogs(broker, recorder);
    this.recorder = recorder;
  }

  void run() {
    logs.walk(partition -> !Shrinking.includes(partition), this::batch);
  }

  private void batch(TopicPartition partition, BatchView batch) {
    ProducerIdentity producer = new ProducerIdentity(batch.producerId(), batch.producerEpoch());
    ControlMarker marker = ControlMarker.of(batch);
    if (marker != null) {
      recorder.add(
          new Event.MarkerLogged(
              partition,
              batch.baseOffset(),
              batch.leaderEpoch(),
              producer,
              marker.commit(),
              marker.coordinatorEpoch()));
    } else if (partition.topic().equals(TopicNames.TRANSACTIONS)) {
      states(partition, batch);
    } else if (batch.isTransactional()) {
      recorder.add(
          new Event.TransactionalBatch(
              partition,
              batch.baseOffset(),
              batch.leaderEpoch(),
              producer,
              isOwn(partition) ? StoppedLogs.transactions(batch) : new TreeSet<>()));
      if (isOwn(partition)) {
        recorder.add(
            new Event.Batch(
                partition,
                batch.baseOffset(),
                producer.producerId(),
                producer.epoch(),
                batch.baseSequence(),
                batch.recordCount()));
      }
    }
  }

  private void states(TopicPartition partition, BatchView batch) {
    RecordIterator records = RecordIterator.of(batch);
    while (records.next()) {
      Map<String, Object> fields =
          TxnRecords.describe(records.record().key(), records.record().value());
      TxnState state =
          fields == null ? null : TxnState.labelled(String.valueOf(fields.get("state")));
      if (fields == null || state == null) {
        recorder.trouble(partition + " offset " + records.record().offset() + " says " + fields);
        continue;
      }
      TreeSet<TopicPartition> partitions = new TreeSet<>();
      for (Object name : (Collection<?>) field(fields, "partitions")) {
        TopicPartition named = StoppedLogs.parse(String.valueOf(name));
        // Markers may be gone there.
        if (!Shrinking.includes(named)) {
          partitions.add(named);
        }
      }
      recorder.add(
          new Event.StateLogged(
              partition,
              records.record().offset(),
              String.valueOf(fields.get("transactionalId")),
              state,
              new ProducerIdentity(
                  ((Number) field(fields, "producerId")).longValue(),
                  ((Number) field(fields, "producerEpoch")).shortValue()),
              partitions));
    }
  }

  private static Object field(Map<String, Object> fields, String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }

  /** Whether the campaign's clients write there, and not the coordinators. */
  private static boolean isOwn(TopicPartition partition) {
    return !partition.topic().startsWith("__");
  }
}
