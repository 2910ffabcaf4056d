package io.fencepost.testkit.campaign.main;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.disk.ReadOnlyDisk;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.log.SegmentWalk;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.campaign.client.Recorder;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Posting;
import io.fencepost.txn.coordinator.TxnRecords;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Reads the logs of one stopped broker in order, and writes down what transactions left there. */
final class LogScan {
  private final Disk disk;
  private final Recorder recorder;

  LogScan(Path broker, Recorder recorder) {
    this.disk = new ReadOnlyDisk(broker);
    this.recorder = recorder;
  }

  void run() {
    for (String name : disk.list("")) {
      int dash = name.lastIndexOf('-');
      if (dash > 0 && name.substring(dash + 1).matches("[0-9]{1,5}")) {
        partition(
            new TopicPartition(
                name.substring(0, dash), Integer.parseInt(name.substring(dash + 1))));
      }
    }
  }

  private void partition(TopicPartition partition) {
    LogView log = new LogView(disk, partition.toString());
    for (long base : log.segments()) {
      SegmentWalk walk = log.walk(base);
      try {
        while (walk.next()) {
          if (walk.isDamage()) {
            recorder.add(new Event.FileFinding(walk.path() + ": " + walk.damage()));
          } else {
            batch(partition, walk.whole());
          }
        }
      } finally {
        walk.close();
      }
    }
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
              transactions(partition, batch)));
      if (!partition.topic().startsWith("__")) {
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

  private static TreeSet<String> transactions(TopicPartition partition, BatchView batch) {
    TreeSet<String> names = new TreeSet<>();
    if (!partition.topic().startsWith("__")) {
      RecordIterator records = RecordIterator.of(batch);
      while (records.next()) {
        ByteBuffer value = records.record().value();
        if (value != null) {
          String name = Posting.parse(StandardCharsets.UTF_8.decode(value).toString()).name();
          names.add(name.substring(0, name.lastIndexOf(':')));
        }
      }
    }
    return names;
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
        partitions.add(parse(String.valueOf(name)));
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

  private static TopicPartition parse(String name) {
    int dash = name.lastIndexOf('-');
    return new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
  }
}
