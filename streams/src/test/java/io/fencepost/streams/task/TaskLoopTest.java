package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.spy;

import io.fencepost.streams.Job;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import io.fencepost.streams.test.MemoryClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class TaskLoopTest {
  private final FakeCluster cluster = new FakeCluster(1);
  private long elapsedMs;
  private long codeTakesMs;
  private UnaryOperator<MemoryClient> watched = client -> client;

  @Test
  void a_task_that_gets_another_topic_s_partition_aborts_nothing() {
    add("in", 1, 200);
    add("in", 0, 200);
    TaskLoop loop = loop();
    long nowMs = 0;
    while (cluster.committedOutput().size() < 20) {
      loop.step(nowMs += 20);
    }
    add("other", 0, 100);
    stepUntilCommitted(loop, nowMs, 500);
    assertThat(loop.counts().aborts()).isZero();
    assertThat(loop.counts().records()).isEqualTo(500);
  }

  @Test
  void where_an_input_begins_is_asked_again_after_a_poll_while_nobody_knows() {
    add("in", 0, 10);
    watched =
        client -> {
          MemoryClient slow = spy(client);
          doReturn(null, null, null).doCallRealMethod().when(slow).firstPosition(any());
          return slow;
        };
    TaskLoop loop = loop();
    int polls = cluster.polls;
    stepUntilCommitted(loop, 0, 10);
    assertThat(cluster.polls - polls).isGreaterThan(3);
    assertThat(loop.counts().aborts()).isZero();
  }

  @Test
  void a_job_fails_when_nobody_says_for_long_where_an_input_begins() {
    add("in", 0, 10);
    watched =
        client -> {
          MemoryClient slow = spy(client);
          doReturn(null).when(slow).firstPosition(any());
          doThrow(new TimeoutException("no leader")).when(slow).position(any());
          return slow;
        };
    TaskLoop loop = loop();
    while (elapsedMs < 9_000) {
      assertThat(loop.step(elapsedMs += 20)).isTrue();
    }
    assertThat(loop.failingSinceMs()).isNull();
    while (elapsedMs < 12_000) {
      assertThat(loop.step(elapsedMs += 20)).isTrue();
    }
    assertThat(loop.failingSinceMs()).isNotNull();
  }

  @Test
  void a_paused_job_commits_what_is_open_and_takes_no_more() {
    add("in", 0, 200);
    TaskLoop loop = loop();
    long nowMs = 0;
    while (loop.counts().records() == 0) {
      loop.step(nowMs += 20);
    }
    loop.pause(true);
    for (int i = 0; i < 20; i++) {
      loop.step(nowMs += 20);
    }
    long committed = loop.counts().records();
    add("other", 0, 50);
    for (int i = 0; i < 20; i++) {
      loop.step(nowMs += 20);
    }
    assertThat(loop.counts().records()).isEqualTo(committed);
    loop.pause(false);
    while (loop.counts().records() < 250) {
      assertThat(loop.step(nowMs += 20)).isTrue();
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
    assertThat(loop.counts().aborts()).isZero();
    assertThat(cluster.committedOutput()).hasSize(250);
  }

  @Test
  void the_group_is_heard_while_slow_code_works_off_what_was_polled() {
    add("in", 0, 1_000);
    cluster.pollLimit = 1_000;
    codeTakesMs = 10;
    TaskLoop loop = loop(settings(50, 1_000), this::elapsed);
    while (loop.counts().records() == 0) {
      loop.step(elapsedMs += 20);
    }
    int polls = cluster.polls;
    long beganMs = elapsedMs;
    while (elapsedMs - beganMs < 2_000) {
      loop.step(elapsedMs += 1);
    }
    assertThat(loop.counts().records()).as("work is left").isLessThan(1_000);
    assertThat(cluster.polls - polls).isGreaterThanOrEqualTo(3);
    while (loop.counts().records() < 1_000) {
      loop.step(elapsedMs += 20);
    }
    assertThat(loop.counts().aborts()).isZero();
  }

  /**
   * On three busy nodes a commit took 250 ms, and each transaction was due after the first slice,
   * which the commit's time had made ever smaller: one record per transaction.
   */
  @Test
  void commits_that_take_longer_than_their_interval_do_not_make_transactions_small() {
    add("in", 0, 60_000);
    cluster.pollLimit = 10_000;
    cluster.atCommit = () -> elapsedMs += 250;
    TaskLoop loop = loop(settings(100, 1_000_000), this::elapsed);
    while (loop.counts().records() < 60_000) {
      assertThat(loop.step(elapsedMs += 10)).isTrue();
      assertThat(elapsedMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
    assertThat(loop.counts().commits()).isLessThan(10);
  }

  @Test
  void a_transaction_ends_by_its_bytes_too() {
    add("in", 0, 100);
    TaskLoop loop = loop(new LoopSettings(1, 1_000_000, 1_000_000, 300, 0, 10_000, 10_000));
    long nowMs = 0;
    while (loop.counts().records() < 60) {
      loop.step(++nowMs);
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
    assertThat(loop.counts().commits()).isPositive();
  }

  @Test
  void after_an_interrupt_nothing_of_the_open_transaction_is_committed() {
    add("in", 0, 10);
    TaskLoop interrupted = loop();
    long nowMs = 0;
    while (cluster.polls < 3) {
      interrupted.step(++nowMs);
    }
    assertThat(interrupted.counts().commits()).isZero();
    assertThat(interrupted.giveUp()).singleElement().asString().contains("interrupted");
    assertThat(interrupted.close(0)).isEmpty();
    assertThat(cluster.committedOutput()).isEmpty();
    TaskLoop next = loop();
    while (next.counts().records() < 10) {
      next.step(nowMs += 20);
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
    assertThat(cluster.committedOutput()).hasSize(10);
  }

  private void stepUntilCommitted(TaskLoop loop, long fromMs, int records) {
    long nowMs = fromMs;
    while (cluster.committedOutput().size() < records) {
      assertThat(loop.step(nowMs += 20)).isTrue();
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
  }

  private TaskLoop loop() {
    return loop(settings(50, 1_000));
  }

  private static LoopSettings settings(long commitIntervalMs, long commitMaxRecords) {
    return new LoopSettings(
        1, commitIntervalMs, commitMaxRecords, Long.MAX_VALUE, 0, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private Instant elapsed() {
    return Instant.ofEpochMilli(elapsedMs);
  }

  private TaskLoop loop(LoopSettings settings) {
    return loop(settings, InstantSource.fixed(Instant.EPOCH));
  }

  private TaskLoop loop(LoopSettings settings, InstantSource wallClock) {
    Job job = Job.named("j");
    job.from(List.of("in", "other"), Serdes.String(), Serdes.String())
        .peek(message -> elapsedMs += codeTakesMs)
        .deduplicate("seen", Duration.ofDays(1))
        .to("out", Serdes.String(), Serdes.String());
    MemoryClient clients = watched.apply(cluster.clients(job));
    return new TaskLoop(
        new JobPlan(job, "j", 1 << 20),
        settings,
        clients,
        clients.reader(),
        new Opener(),
        new CyclePropertyTest.Silence(),
        wallClock,
        Lanes.NONE);
  }

  private void add(String topic, int partition, int count) {
    List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
    for (int offset = 0; offset < count; offset++) {
      byte[] key = (topic + partition + "-" + offset).getBytes(StandardCharsets.UTF_8);
      log.add(new ConsumerRecord<>(topic, partition, offset, key, key));
    }
    cluster.publish(new TopicPartition(topic, partition), log);
  }

  private static final class Opener implements StoreOpener {
    private final TreeMap<TaskId, StoreTable> tables = new TreeMap<>();

    @Override
    public StoreTable open(TaskId task) {
      return tables.computeIfAbsent(task, unused -> new MemoryTable(1));
    }
  }
}
