package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Job;
import io.fencepost.streams.Message;
import io.fencepost.streams.ProcessorContext;
import io.fencepost.streams.TimedProcessor;
import io.fencepost.streams.Timer;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.test.Interference;
import io.fencepost.streams.test.MemoryClient;
import io.fencepost.streams.test.MemoryCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One failure at one place, and what must be so behind it. */
class TaskLoopFailureTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final TopicPartition IN_0 = new TopicPartition("in", 0);
  private static final TopicPartition IN_1 = new TopicPartition("in", 1);

  private final MemoryCluster cluster = new MemoryCluster();
  private final Job job = Job.named("j");
  private final Faults faults = new Faults();
  private final List<AbortCause> aborts = new ArrayList<>();
  private long nowMs;
  private long wallMs;

  private static final class Faults implements Interference {
    boolean failsNextEnds;
    boolean failsNextStage;
    boolean timesNextStageOut;
    boolean losesNextPoll;
    boolean losesNext;
    List<TopicPartition> takesNext = List.of();

    @Override
    public void before(Call call) {
      if (call == Call.CHANGELOG_ENDS && failsNextEnds) {
        failsNextEnds = false;
        throw new TimeoutException("no answer");
      }
      if (call == Call.STAGE && failsNextStage) {
        failsNextStage = false;
        throw new CommitFailedException();
      }
      if (call == Call.STAGE && timesNextStageOut) {
        timesNextStageOut = false;
        throw new TimeoutException("no answer");
      }
    }

    @Override
    public void after(Call call) {
      if (call == Call.POLL && losesNextPoll) {
        losesNextPoll = false;
        throw new TimeoutException("the records are lost");
      }
    }

    @Override
    public Taken taken(List<TopicPartition> assigned) {
      Taken taken = new Taken(takesNext, losesNext);
      takesNext = List.of();
      return taken;
    }
  }

  /** Passes its input on and has it called again at the time 1000 of the wall clock. */
  private static final class Alarm implements TimedProcessor<String, String, String, String> {
    private @Nullable ProcessorContext<String, String> context;

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    private ProcessorContext<String, String> context() {
      if (context == null) {
        throw new IllegalStateException("not open");
      }
      return context;
    }

    @Override
    public void process(Message<String, String> input) {
      context().emit(input);
      context().timers().atWallClock("alarm", 1_000);
    }

    @Override
    public void onTimer(Timer<String> timer) {
      context().emit(context().message(timer.key(), "alarm", timer.timeMs()));
    }
  }

  @Test
  void timers_between_an_abort_and_its_rewind_do_not_commit_what_was_aborted() {
    job.from("in", TEXT, TEXT).<String, String>process("alarm", Alarm::new).to("out", TEXT, TEXT);
    cluster.create("in", 2);
    TaskLoop loop = loop();
    send(IN_1, "first");
    run(loop, () -> cluster.committedOffsets().getOrDefault(IN_1, 0L) == 1);
    send(IN_1, "second");
    run(loop, () -> cluster.uncommitted("out").size() == 2);
    faults.takesNext = List.of(IN_0);
    faults.failsNextStage = true;
    wallMs = 1_000;
    loop.step(++nowMs);
    assertThat(loop.counts().aborts()).isEqualTo(1);
    loop.settle();
    assertThat(cluster.committedOffsets()).containsEntry(IN_1, 1L);
    assertThat(cluster.committed("out")).hasSize(1);
  }

  @Test
  void the_very_first_records_come_again_if_the_poll_that_brought_them_fails() {
    job.from("in", TEXT, TEXT).to("out", TEXT, TEXT);
    cluster.create("in", 2);
    TaskLoop loop = loop();
    run(
        loop,
        () ->
            loop.tasks().size() == 2
                && loop.tasks().stream().allMatch(task -> task.phase().equals("RUNNING")));
    send(IN_1, "a");
    send(IN_1, "b");
    faults.losesNextPoll = true;
    run(loop, () -> !faults.losesNextPoll && cluster.committed("out").size() == 2);
    assertThat(cluster.committedOffsets()).containsEntry(IN_1, 2L);
  }

  @Test
  void each_abort_has_a_cause_and_is_counted_once() {
    job.from("in", TEXT, TEXT).to("out", TEXT, TEXT);
    cluster.create("in", 2);
    TaskLoop loop = loop();
    send(IN_1, "a");
    faults.failsNextStage = true;
    run(loop, () -> loop.counts().aborts() == 1);
    faults.timesNextStageOut = true;
    run(loop, () -> loop.counts().aborts() == 2);
    run(loop, () -> cluster.uncommitted("out").size() == 3);
    faults.losesNext = true;
    faults.takesNext = List.of(IN_0);
    run(loop, () -> loop.counts().aborts() == 3);
    run(loop, () -> cluster.committed("out").size() == 1);
    send(IN_1, "b");
    run(loop, () -> cluster.uncommitted("out").size() == 5);
    loop.giveUp();
    assertThat(loop.counts().aborts()).isEqualTo(4);
    assertThat(aborts)
        .containsExactly(
            AbortCause.ABORT_AND_REWIND,
            AbortCause.RETRY,
            AbortCause.PARTITIONS_LOST,
            AbortCause.ENDED);
    assertThat(cluster.committed("out")).hasSize(1);
  }

  @Test
  void a_task_without_stores_goes_on_when_the_changelogs_of_another_cannot_be_asked_for() {
    job.from("in", TEXT, TEXT).to("out", TEXT, TEXT);
    job.from("other", TEXT, TEXT).deduplicate("seen", Duration.ofDays(1)).to("out", TEXT, TEXT);
    cluster.create("in", 1);
    cluster.create("other", 1);
    faults.failsNextEnds = true;
    TaskLoop loop = loop();
    send(IN_0, "first");
    run(loop, () -> cluster.committed("out").size() == 1);
    assertThat(faults.failsNextEnds).as("still to fail").isFalse();
  }

  private void run(TaskLoop loop, BooleanSupplier isDone) {
    long mostMs = nowMs + 10_000;
    while (!isDone.getAsBoolean()) {
      assertThat(loop.step(++nowMs)).isTrue();
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(mostMs);
    }
  }

  private void send(TopicPartition partition, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    cluster.append(partition, new Gateway.Output(partition.topic(), bytes, bytes, 0, List.of()));
  }

  private TaskLoop loop() {
    JobPlan plan = new JobPlan(job, "j", 1 << 20);
    cluster.create("out", 1);
    for (TaskPlan part : plan.parts()) {
      for (int table = 0; table < part.tableCount(); table++) {
        cluster.create(part.changelogTopic(table), 2);
      }
    }
    MemoryClient clients = new MemoryClient(cluster, "j-0", faults);
    return new TaskLoop(
        plan,
        new LoopSettings(1, 50, 1_000, Long.MAX_VALUE, 0, Long.MAX_VALUE, Long.MAX_VALUE),
        clients,
        clients.reader(),
        task -> new MemoryTable(1),
        new CyclePropertyTest.Silence() {
          @Override
          public void aborted(AbortCause cause) {
            aborts.add(cause);
          }
        },
        () -> Instant.ofEpochMilli(wallMs),
        Lanes.NONE);
  }
}
