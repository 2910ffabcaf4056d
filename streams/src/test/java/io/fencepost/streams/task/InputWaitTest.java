package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Job;
import io.fencepost.streams.Table;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.test.MemoryClient;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

/** How a task with records of a stream waits for those of its table. */
class InputWaitTest {
  private static final TopicPartition STREAM = new TopicPartition("stream", 0);
  private static final TopicPartition TABLE = new TopicPartition("table", 0);

  private final FakeCluster cluster = new FakeCluster(1);
  private final MemoryTable store = new MemoryTable(1);
  private long nowMs;

  @Test
  void what_the_broker_has_of_an_input_is_waited_for() {
    cluster.publish(TABLE, log("table", "k", 20));
    cluster.publish(STREAM, log("stream", "k", 1));
    cluster.slow.add(TABLE);
    TaskLoop loop = loop(0);
    steps(loop, 50);
    assertThat(cluster.committedOutput()).as("the table's records come first").isEmpty();
    cluster.slow.clear();
    steps(loop, 50);
    assertThat(cluster.committedOutput()).hasSize(1);
  }

  @Test
  void by_default_an_input_that_has_nothing_holds_nobody() {
    cluster.publish(TABLE, new ArrayList<>());
    cluster.publish(STREAM, log("stream", "k", 5));
    TaskLoop loop = loop(0);
    steps(loop, 30);
    assertThat(cluster.committedOffsets()).containsEntry(STREAM, 5L);
  }

  @Test
  void an_input_that_has_nothing_is_waited_for_as_long_as_is_set() {
    cluster.publish(TABLE, new ArrayList<>());
    cluster.publish(STREAM, log("stream", "k", 5));
    TaskLoop loop = loop(5_000);
    while (nowMs < 5_000) {
      steps(loop, 1);
      assertThat(loop.counts().records()).isZero();
    }
    steps(loop, 30);
    assertThat(cluster.committedOffsets()).containsEntry(STREAM, 5L);
    assertThat(cluster.committedOutput()).isEmpty();
  }

  @Test
  void what_is_written_meanwhile_takes_its_turn() {
    cluster.publish(TABLE, new ArrayList<>());
    cluster.publish(STREAM, log("stream", "k", 5));
    TaskLoop loop = loop(5_000);
    steps(loop, 10);
    cluster.publish(TABLE, log("table", "k", 1));
    steps(loop, 400);
    assertThat(cluster.committedOutput()).hasSize(5);
  }

  @Test
  void with_minus_one_nothing_is_waited_for() {
    cluster.publish(TABLE, log("table", "k", 20));
    cluster.publish(STREAM, log("stream", "k", 5));
    cluster.slow.add(TABLE);
    TaskLoop loop = loop(-1);
    steps(loop, 50);
    assertThat(cluster.committedOffsets()).containsEntry(STREAM, 5L);
  }

  @Test
  void while_a_task_waits_its_other_inputs_are_not_read_on() {
    cluster.publish(TABLE, log("table", "k", 20));
    cluster.publish(STREAM, log("stream", "k", 100_000));
    cluster.slow.add(TABLE);
    cluster.pollLimit = 500;
    TaskLoop loop = loop(0);
    steps(loop, 1_000);
    assertThat(cluster.polled.get(STREAM)).isLessThan(1_000);
  }

  @Test
  void what_waits_is_read_once_though_its_task_gets_another_input() {
    cluster.publish(TABLE, log("table", "k", 20));
    cluster.publish(STREAM, log("stream", "k", 50));
    cluster.slow.add(TABLE);
    TaskLoop loop = loop(0);
    steps(loop, 20);
    cluster.publish(new TopicPartition("other", 0), log("other", "k", 50));
    steps(loop, 20);
    cluster.slow.clear();
    steps(loop, 200);
    assertThat(cluster.committedOutput()).hasSize(100);
    assertThat(loop.counts().aborts()).isZero();
  }

  @Test
  void what_waits_is_forgotten_with_its_partitions() {
    cluster.publish(TABLE, log("table", "k", 20));
    cluster.publish(STREAM, log("stream", "k", 50));
    cluster.slow.add(TABLE);
    TaskLoop loop = loop(0);
    steps(loop, 20);
    cluster.takesAllAway = true;
    steps(loop, 20);
    cluster.slow.clear();
    steps(loop, 200);
    assertThat(cluster.committedOutput()).hasSize(50);
    assertThat(loop.counts().aborts()).isZero();
  }

  private void steps(TaskLoop loop, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(loop.step(nowMs += 20)).isTrue();
    }
  }

  private TaskLoop loop(long maxTaskIdleMs) {
    Job job = Job.named("j");
    Table<String, String> table = job.table("table", "store", Serdes.String(), Serdes.String());
    job.from(List.of("stream", "other"), Serdes.String(), Serdes.String())
        .join(table, (value, row) -> value + row)
        .to("out", Serdes.String(), Serdes.String());
    MemoryClient clients = cluster.clients(job);
    return new TaskLoop(
        new JobPlan(job, "j", 1 << 20),
        new LoopSettings(
            1, 50, 1_000, Long.MAX_VALUE, maxTaskIdleMs, Long.MAX_VALUE, Long.MAX_VALUE),
        clients,
        clients.reader(),
        task -> store,
        new CyclePropertyTest.Silence(),
        InstantSource.fixed(Instant.EPOCH),
        Lanes.NONE);
  }

  private static List<ConsumerRecord<byte[], byte[]>> log(String topic, String key, int count) {
    List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
    for (int offset = 0; offset < count; offset++) {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      log.add(new ConsumerRecord<>(topic, 0, offset, bytes, bytes));
    }
    return log;
  }
}
