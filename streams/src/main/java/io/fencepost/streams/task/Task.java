package io.fencepost.streams.task;

import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One partition number of the job: its input partitions, operators and tables. Driven by {@link
 * TaskLoop} on the worker's thread; {@link TaskPhase} has the moves.
 */
public final class Task {
  private static final int SWEEP_LIMIT = 1_000;

  private final int partition;
  private final TaskPlan plan;
  private final TaskContext context;
  private final Pipeline pipeline;
  private final Set<TopicPartition> inputs = new LinkedHashSet<>();
  private final Map<TopicPartition, Long> firstOffsets = new LinkedHashMap<>();
  private final ExpirySweep[] sweeps;
  private TaskPhase phase = TaskPhase.OPENING;
  private @Nullable StoreTable tables;

  Task(int partition, TaskPlan plan) {
    this.partition = partition;
    this.plan = plan;
    this.context = new TaskContext(plan);
    this.pipeline = new Pipeline(plan, context);
    this.sweeps = new ExpirySweep[plan.tableCount()];
    for (int table : plan.dedupTables()) {
      sweeps[table] = new ExpirySweep(table, plan.retentionMs(table));
    }
  }

  int partition() {
    return partition;
  }

  TaskPhase phase() {
    return phase;
  }

  void moveTo(TaskPhase next) {
    phase = next;
  }

  Set<TopicPartition> inputs() {
    return inputs;
  }

  @Nullable StoreTable tables() {
    return tables;
  }

  void open(StoreTable opened) {
    tables = opened;
    context.open(new StateBuffer(opened, plan.tableCount()));
  }

  /** Where to go on if nothing was ever committed: the first offset that was read; null: unread. */
  @Nullable Long firstOffset(TopicPartition input) {
    return firstOffsets.get(input);
  }

  /** Before the batch is processed or skipped, so that a rewind finds it again. */
  void noteFirst(Gateway.Batch batch) {
    firstOffsets.putIfAbsent(batch.partition(), batch.records().get(0).offset());
  }

  void forget(Collection<TopicPartition> gone) {
    inputs.removeAll(gone);
    gone.forEach(firstOffsets::remove);
  }

  /** Runs a batch and sends what comes out. */
  CycleCounts process(Gateway.Batch batch, Gateway gateway) {
    List<ConsumerRecord<byte[], byte[]>> records = batch.records();
    prefetch(records);
    CycleCounts counts = new CycleCounts();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Pipeline.Result result = pipeline.run(record);
      List<Gateway.Output> outputs = result.outputs();
      for (int i = 0; i < outputs.size(); i++) {
        gateway.send(outputs.get(i));
      }
      counts.add(outputs.size(), result.duplicates(), result.isDead());
    }
    return counts;
  }

  private void prefetch(List<ConsumerRecord<byte[], byte[]>> records) {
    for (int table : plan.dedupTables()) {
      List<byte[]> keys = new ArrayList<>(records.size());
      for (ConsumerRecord<byte[], byte[]> record : records) {
        if (record.key() != null) {
          keys.add(record.key());
        }
      }
      context.state().prefetch(table, keys);
    }
  }

  /** Sends the changes of this cycle to the changelogs, expired entries included. */
  void sendChanges(Gateway gateway) {
    StoreTable opened = tables;
    if (opened == null) {
      return;
    }
    for (int table = 0; table < plan.tableCount(); table++) {
      if (sweeps[table] != null) {
        sweeps[table].sweep(opened, context.state(), SWEEP_LIMIT);
      }
      TopicPartition changelog = plan.changelog(table, partition);
      context
          .state()
          .forEachChange(table, (key, value) -> gateway.sendChange(changelog, key, value));
    }
  }

  /** After the commit: the buffered state becomes the stored state. */
  void applyChanges(Map<TopicPartition, Long> changePositions) {
    if (tables == null) {
      return;
    }
    long[] positions = new long[plan.tableCount()];
    for (int table = 0; table < positions.length; table++) {
      positions[table] = changePositions.getOrDefault(plan.changelog(table, partition), -1L);
    }
    context.state().apply(positions);
  }

  /** After an abort: nothing that was collected survives. */
  void dropChanges() {
    if (tables != null) {
      context.state().drop();
    }
  }

  /** The changelog positions that the tables stand for. */
  Map<TopicPartition, RestorePoint> restorePoints() {
    Map<TopicPartition, RestorePoint> points = new LinkedHashMap<>();
    if (tables != null) {
      for (int table = 0; table < plan.tableCount(); table++) {
        points.put(plan.changelog(table, partition), tables.restorePoint(table));
      }
    }
    return points;
  }

  void closeTables() {
    StoreTable opened = tables;
    tables = null;
    context.open(null);
    if (opened != null) {
      opened.close();
    }
  }

  void close() {
    phase = TaskPhase.CLOSED;
    closeTables();
  }

  @Override
  public String toString() {
    return "task " + partition + " " + phase + " " + inputs;
  }
}
