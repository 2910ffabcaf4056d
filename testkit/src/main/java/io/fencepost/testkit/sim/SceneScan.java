package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.LogEvents;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks into the leaders' logs of a scene that is over. */
final class SceneScan {
  private static final int READ_BYTES = 1 << 20;

  private final Scene scene;
  private final LogEvents events;

  SceneScan(Scene scene) {
    this.scene = scene;
    this.events =
        new LogEvents(
            SceneScan::transactions, partition -> true, scene.history()::add, entry -> {});
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
        events.take(partition, batch);
      }
    }
  }

  private static SortedSet<String> transactions(BatchView batch) {
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
}
