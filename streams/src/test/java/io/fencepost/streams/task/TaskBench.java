package io.fencepost.streams.task;

import io.fencepost.streams.Job;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.test.MemoryClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** One task of a job with topic "in", moved by hand: text in, text out. */
final class TaskBench {
  private final FakeCluster cluster = new FakeCluster(1);
  private final MemoryClient clients;
  private final TaskPlan plan;
  private MemoryTable tables;
  private Task task;
  private CycleCounts counts = new CycleCounts();
  private long nextOffset;
  private int shown;

  TaskBench(Job job) {
    plan = new JobPlan(job, "j", 1 << 20).parts().get(0);
    clients = cluster.clients(job);
    clients.renewProducer();
    clients.begin();
    tables = new MemoryTable(plan.tableCount());
    task = started();
  }

  private Task started() {
    Task starting = new Task(new TaskId("in", 0), plan, Lanes.NONE);
    starting.open(tables);
    Restoration restoration = new Restoration(clients.reader(), new CyclePropertyTest.Silence());
    restoration.begin(List.of(starting), 0);
    while (starting.phase() != TaskPhase.RUNNING) {
      restoration.step(List.of(starting), 0, 0);
    }
    return starting;
  }

  /** One input, in the open transaction. */
  void send(@Nullable String key, @Nullable String value, long timeMs) {
    Gateway.Batch batch =
        new Gateway.Batch(
            new TopicPartition("in", 0), List.of(record(nextOffset++, key, value, timeMs)));
    counts = task.process(batch, clients);
  }

  /** What the last input came to. */
  CycleCounts counts() {
    return counts;
  }

  /** Does what the loop does without input. */
  boolean fireLeftovers() {
    boolean isDue = task.hasDueTimer(0);
    if (isDue) {
      counts = task.fireTimers(0, clients);
    }
    return isDue;
  }

  /** Commits, and shows what has come out since the last time. */
  List<String> out() {
    task.sendChanges(clients);
    clients.commit();
    task.applyChanges(clients.changePositions());
    clients.begin();
    List<String> all = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> output : cluster.committedOutput()) {
      all.add(
          output.topic()
              + " "
              + text(output.key())
              + "="
              + text(output.value())
              + "@"
              + output.timestamp());
    }
    List<String> fresh = List.copyOf(all.subList(shown, all.size()));
    shown = all.size();
    return fresh;
  }

  void abort() {
    clients.abort();
    task.dropChanges();
    clients.begin();
  }

  /** A new process; what was not committed is gone. */
  void restart() {
    abort();
    task = started();
  }

  /** A new process on a new machine. */
  void restartWithoutDisk() {
    tables = new MemoryTable(plan.tableCount());
    restart();
  }

  /** The committed entries of a table, but for its event time. */
  Map<String, String> entries(int table) {
    Map<String, String> entries = new TreeMap<>();
    tables.scan(
        table,
        new byte[] {0},
        null,
        (key, value) -> {
          entries.put(FakeCluster.hex(key), FakeCluster.hex(value));
          return true;
        });
    return entries;
  }

  /** The same from the changelog. */
  Map<String, String> changelog(int table) {
    Map<String, String> entries = cluster.fold(plan.changelog(table, 0));
    entries.remove("");
    return entries;
  }

  static ConsumerRecord<byte[], byte[]> record(
      long offset, @Nullable String key, @Nullable String value, long timeMs) {
    byte[] keyBytes = bytes(key);
    byte[] valueBytes = bytes(value);
    return new ConsumerRecord<>(
        "in",
        0,
        offset,
        timeMs,
        TimestampType.CREATE_TIME,
        0,
        0,
        keyBytes,
        valueBytes,
        new ProducerRecord<>("in", valueBytes).headers(),
        Optional.empty());
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte @Nullable [] bytes) {
    return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
  }
}
