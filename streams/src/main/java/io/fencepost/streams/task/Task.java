package io.fencepost.streams.task;

import io.fencepost.streams.FirstSights;
import io.fencepost.streams.Timer;
import io.fencepost.streams.store.ChangeBatch;
import io.fencepost.streams.store.RestorePoint;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
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
 * One partition number of one part of the job: its input partitions, operators and tables. Driven
 * by {@link TaskLoop} on the worker's thread; {@link TaskPhase} has the moves.
 */
public final class Task {
  /** Of many keys in one record; the producer's default batch has room for it. */
  private static final int PACKED_BYTES = 15_000;

  /**
   * Per operator and input. Many windows that close at once, or a timer that sets itself again at
   * once, must neither hold the worker nor make a transaction of any size; the rest comes later.
   */
  private static final int TIMERS_LIMIT = 10_000;

  private final TaskId id;
  private final TaskPlan plan;
  private final TaskContext context;
  private final Pipeline pipeline;
  private final Set<TopicPartition> inputs = new LinkedHashSet<>();
  private final Map<TopicPartition, Long> firstOffsets = new LinkedHashMap<>();
  private final @Nullable ExpirySweep[] sweeps;
  private TaskPhase phase = TaskPhase.OPENING;
  private @Nullable StoreTable tables;

  Task(TaskId id, TaskPlan plan, Lanes lanes) {
    this.id = id;
    this.plan = plan;
    this.context = new TaskContext(plan);
    this.pipeline = new Pipeline(plan, context, lanes);
    this.sweeps = new ExpirySweep[plan.tableCount()];
    for (int table = 0; table < sweeps.length; table++) {
      sweeps[table] = ExpirySweep.of(plan, table);
    }
  }

  TaskId id() {
    return id;
  }

  TaskPlan plan() {
    return plan;
  }

  TopicPartition changelog(int table) {
    return plan.changelog(table, id.partition());
  }

  TaskPhase phase() {
    return phase;
  }

  void moveTo(TaskPhase next) {
    phase = next;
    StoreTable opened = tables;
    if (opened == null) {
      return;
    }
    if (next == TaskPhase.RUNNING) {
      opened.show();
    } else {
      opened.hide();
    }
  }

  Set<TopicPartition> inputs() {
    return inputs;
  }

  @Nullable StoreTable tables() {
    return tables;
  }

  void open(StoreTable opened) {
    tables = opened;
    context.open(new StateBuffer(opened, plan.orderedTables()));
  }

  /** Where to go on if nothing was ever committed: where it began to read; null: not yet. */
  @Nullable Long firstOffset(TopicPartition input) {
    return firstOffsets.get(input);
  }

  /** Before anything is polled, as a poll that fails may have moved on. */
  void noteFirst(TopicPartition input, long offset) {
    firstOffsets.put(input, offset);
  }

  void forget(Collection<TopicPartition> gone) {
    inputs.removeAll(gone);
    gone.forEach(firstOffsets::remove);
  }

  /** Reads ahead for batches to come. */
  void prefetch(List<Gateway.Batch> batches) {
    for (int table : plan.dedupTables()) {
      List<byte[]> keys = new ArrayList<>();
      for (Gateway.Batch batch : batches) {
        for (ConsumerRecord<byte[], byte[]> record : batch.records()) {
          if (record.key() != null) {
            keys.add(record.key());
          }
        }
      }
      context.state().prefetch(table, keys);
    }
  }

  /** Runs a batch and sends what comes out. */
  CycleCounts process(Gateway.Batch batch, Gateway gateway) {
    List<ConsumerRecord<byte[], byte[]>> records = batch.records();
    CycleCounts counts = new CycleCounts();
    List<Pipeline.Prepared> prepared = prepare(batch);
    for (int i = 0; i < records.size(); i++) {
      ConsumerRecord<byte[], byte[]> record = records.get(i);
      Pipeline.Result result =
          prepared == null ? pipeline.run(record) : pipeline.finish(prepared.get(i));
      send(result, gateway);
      counts.bytes += inputBytes(record) + outputBytes(result);
      counts.add(result);
      if (!pipeline.scheduled().isEmpty()) {
        fire(Timer.Kind.EVENT_TIME, Long.MIN_VALUE, gateway, counts);
      }
    }
    return counts;
  }

  /** Null if nothing is to be done ahead. */
  private @Nullable List<Pipeline.Prepared> prepare(Gateway.Batch batch) {
    if (!pipeline.looksAhead(batch.partition().topic())) {
      return null;
    }
    List<Pipeline.Prepared> prepared = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : batch.records()) {
      prepared.add(pipeline.prepare(record));
    }
    return prepared;
  }

  private static long inputBytes(ConsumerRecord<byte[], byte[]> record) {
    return (long) Math.max(0, record.serializedKeySize())
        + Math.max(0, record.serializedValueSize());
  }

  private static long outputBytes(Pipeline.Result result) {
    long bytes = 0;
    List<Gateway.Output> outputs = result.outputs();
    for (int i = 0; i < outputs.size(); i++) {
      byte[] key = outputs.get(i).key();
      byte[] value = outputs.get(i).value();
      bytes += (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
    }
    return bytes;
  }

  /** Whether a timer of the wall clock is due, or work of event time was left over. */
  boolean hasDueTimer(long wallMs) {
    for (ProcessingOperator operator : pipeline.scheduled()) {
      if (operator.due(Timer.Kind.WALL_CLOCK, wallMs) != null
          || operator.due(Timer.Kind.EVENT_TIME, wallMs) != null) {
        return true;
      }
    }
    return false;
  }

  /** Fires the timers of the wall clock that are due, and what is due in event time. */
  CycleCounts fireTimers(long wallMs, Gateway gateway) {
    CycleCounts counts = new CycleCounts();
    fire(Timer.Kind.WALL_CLOCK, wallMs, gateway, counts);
    fire(Timer.Kind.EVENT_TIME, Long.MIN_VALUE, gateway, counts);
    return counts;
  }

  private void fire(Timer.Kind kind, long wallMs, Gateway gateway, CycleCounts counts) {
    for (ProcessingOperator operator : pipeline.scheduled()) {
      for (int fired = 0; fired < TIMERS_LIMIT; fired++) {
        Due due = operator.due(kind, wallMs);
        if (due == null) {
          break;
        }
        Pipeline.Result result = pipeline.fire(operator, due, id.partition());
        send(result, gateway);
        counts.bytes += outputBytes(result);
        counts.addTimer(result);
      }
    }
  }

  private static void send(Pipeline.Result result, Gateway gateway) {
    List<Gateway.Output> outputs = result.outputs();
    for (int i = 0; i < outputs.size(); i++) {
      gateway.send(outputs.get(i));
    }
  }

  /** Sends the changes of this cycle to the changelogs. */
  void sendChanges(Gateway gateway) {
    if (tables == null) {
      return;
    }
    for (int table = 0; table < plan.tableCount(); table++) {
      if (plan.dedupTables().contains(table)) {
        sendFirstSights(table, gateway);
        continue;
      }
      if (plan.isTimed(table) && context.state().isNewestRaised(table)) {
        context
            .state()
            .put(table, TaskPlan.EVENT_TIME_KEY, Longs.write(context.state().newestMs(table)));
      }
      TopicPartition changelog = changelog(table);
      context
          .state()
          .forEachChange(
              table,
              (key, value) -> gateway.sendChange(changelog, new Gateway.Change(key, value, null)));
    }
  }

  private void sendFirstSights(int table, Gateway gateway) {
    TopicPartition changelog = changelog(table);
    StateBuffer state = context.state();
    FirstSights.Packer packer =
        new FirstSights.Packer(
            PACKED_BYTES,
            state.newestMs(table),
            (value, newestMs) ->
                gateway.sendChange(
                    changelog, new Gateway.Change(null, value, Math.max(0, newestMs))));
    state.forEachChange(
        table,
        (key, seen) -> {
          if (seen != null) {
            packer.add(key, Longs.read(seen));
          }
        });
    packer.finish();
  }

  /** Per changelog a time before which none of its records is of use to anybody. */
  Map<TopicPartition, Long> forgottenBeforeMs() {
    Map<TopicPartition, Long> times = new LinkedHashMap<>();
    if (tables != null && phase == TaskPhase.RUNNING) {
      for (int table : plan.dedupTables()) {
        long newestMs = tables.restorePoint(table).newestMs();
        long beforeMs = DedupRule.forgottenBeforeMs(newestMs, plan.retentionMs(table));
        if (beforeMs > 0) {
          times.put(changelog(table), beforeMs);
        }
      }
    }
    return times;
  }

  /** After the commit: the buffered state becomes the stored state. */
  void applyChanges(Map<TopicPartition, Long> changePositions) {
    StoreTable opened = tables;
    if (plan.tableCount() > 0 && opened == null) {
      return;
    }
    long[] positions = new long[plan.tableCount()];
    ChangeBatch forgotten = new ChangeBatch();
    for (int table = 0; table < positions.length; table++) {
      positions[table] = changePositions.getOrDefault(changelog(table), -1L);
      ExpirySweep sweep = sweeps[table];
      if (sweep != null && opened != null) {
        sweep.sweep(opened, context.state().newestMs(table), forgotten);
      }
    }
    context.applyChanges(positions, forgotten);
  }

  /** After an abort: nothing that was collected survives. */
  void dropChanges() {
    context.dropChanges();
  }

  /** The changelog positions that the tables stand for. */
  Map<TopicPartition, RestorePoint> restorePoints() {
    Map<TopicPartition, RestorePoint> points = new LinkedHashMap<>();
    if (tables != null) {
      for (int table = 0; table < plan.tableCount(); table++) {
        points.put(changelog(table), tables.restorePoint(table));
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
    return "task " + id + " " + phase + " " + inputs;
  }
}
