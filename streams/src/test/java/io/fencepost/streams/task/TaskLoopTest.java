package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Job;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class TaskLoopTest {
  private final FakeCluster cluster = new FakeCluster(1);

  @Test
  void a_task_that_gets_another_topic_s_partition_aborts_nothing() {
    add("in", 1, 200);
    add("in", 0, 200);
    TaskLoop loop = loop();
    long nowMs = 0;
    while (cluster.committedOutput.size() < 20) {
      loop.step(nowMs += 20);
    }
    add("other", 0, 100);
    while (cluster.committedOutput.size() < 500) {
      assertThat(loop.step(nowMs += 20)).isTrue();
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
    assertThat(loop.counts().aborts()).isZero();
    assertThat(loop.counts().records()).isEqualTo(500);
  }

  private TaskLoop loop() {
    Job job = Job.named("j");
    job.from(List.of("in", "other"), Serdes.String(), Serdes.String())
        .deduplicate("seen", Duration.ofDays(1))
        .to("out", Serdes.String(), Serdes.String());
    FakeCluster.Clients clients = cluster.new Clients();
    return new TaskLoop(
        new JobPlan(job, "j", 1 << 20),
        new LoopSettings(1, 50, 1_000, Long.MAX_VALUE, Long.MAX_VALUE),
        clients,
        clients.reader(),
        new Opener(),
        new CyclePropertyTest.Silence(),
        InstantSource.fixed(Instant.EPOCH));
  }

  private void add(String topic, int partition, int count) {
    List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
    for (int offset = 0; offset < count; offset++) {
      byte[] key = (topic + partition + "-" + offset).getBytes(StandardCharsets.UTF_8);
      log.add(new ConsumerRecord<>(topic, partition, offset, key, key));
    }
    cluster.input.put(new TopicPartition(topic, partition), log);
  }

  private static final class Opener implements StoreOpener {
    private final TreeMap<TaskId, StoreTable> tables = new TreeMap<>();

    @Override
    public StoreTable open(TaskId task) {
      return tables.computeIfAbsent(task, unused -> new MemoryTable(1));
    }

    @Override
    public void setAside(TaskId task, String why) {
      throw new AssertionError("task " + task + " would be wiped: " + why);
    }
  }
}
