package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.txn.coordinator.TxnRecords;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks into the leaders' logs of a scene that is over. */
final class SceneScan {
  private static final int READ_BYTES = 1 << 20;

  private final Scene scene;
  private final History history;

  SceneScan(Scene scene) {
    this.scene = scene;
    this.history = scene.history();
  }

  /** E1: a reader of committed records reaches the end. */
  void checkEnded(TopicPartition partition) {
    PartitionGate gate = leader(partition);
    if (gate == null) {
      scene.trouble(partition + " has no leader");
    } else if (gate.lastStableOffset() != gate.logEndOffset()) {
      scene.trouble(
          "a transaction in %s is open for ever: the last stable offset is %d, the log ends at %d"
              .formatted(partition, gate.lastStableOffset(), gate.logEndOffset()));
    }
  }

  private @Nullable PartitionGate leader(TopicPartition partition) {
    for (int broker = 1; broker <= scene.cluster().size(); broker++) {
      SimBroker one = scene.cluster().broker(broker);
      PartitionGate gate = one.isAlive() ? one.services().replicas().find(partition) : null;
      if (gate != null && gate.isLeader()) {
        return gate;
      }
    }
    return null;
  }

  void run() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int partition = 0; partition < Scene.partitionCount(); partition++) {
      partitions.add(Scene.partition(partition));
    }
    partitions.add(new TopicPartition(TopicNames.OFFSETS, 0));
    partitions.add(new TopicPartition(TopicNames.TRANSACTIONS, 0));
    for (TopicPartition partition : partitions) {
      PartitionGate gate = leader(partition);
      if (gate != null) {
        walk(partition, gate);
      }
    }
  }

  private void walk(TopicPartition partition, PartitionGate gate) {
    long offset = gate.logStartOffset();
    BatchView batch = new BatchView();
    while (true) {
      ByteBuffer batches = gate.read(offset, READ_BYTES);
      if (!batches.hasRemaining()) {
        return;
      }
      for (int at = batches.position(); at < batches.limit(); at += batch.sizeBytes()) {
        batch.wrap(batches, at);
        offset = batch.nextOffset();
        note(partition, batch);
      }
    }
  }

  private void note(TopicPartition partition, BatchView batch) {
    ProducerIdentity producer = new ProducerIdentity(batch.producerId(), batch.producerEpoch());
    ControlMarker marker = ControlMarker.of(batch);
    if (marker != null) {
      history.add(
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
      boolean isOwn = partition.topic().equals(Scene.TOPIC);
      history.add(
          new Event.TransactionalBatch(
              partition,
              batch.baseOffset(),
              batch.leaderEpoch(),
              producer,
              isOwn ? transactions(batch) : new TreeSet<>()));
      if (isOwn) {
        history.add(
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

  private static TreeSet<String> transactions(BatchView batch) {
    TreeSet<String> names = new TreeSet<>();
    RecordIterator records = RecordIterator.of(batch);
    while (records.next()) {
      ByteBuffer value = records.record().value();
      if (value != null) {
        String text = StandardCharsets.UTF_8.decode(value).toString();
        names.add(text.substring(0, text.lastIndexOf(':')));
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
        continue;
      }
      TreeSet<TopicPartition> partitions = new TreeSet<>();
      for (Object named : (Collection<?>) field(fields, "partitions")) {
        partitions.add(parse(String.valueOf(named)));
      }
      history.add(
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
