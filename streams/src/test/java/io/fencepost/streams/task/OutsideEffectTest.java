package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.EffectKey;
import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.Message;
import io.fencepost.streams.Origin;
import io.fencepost.streams.ProcessorContext;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.TimedProcessor;
import io.fencepost.streams.Timer;
import io.fencepost.streams.TryAgainLater;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.test.MemoryClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutsideEffectTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final TopicPartition INPUT = new TopicPartition("in", 0);

  private final List<String> happened = new ArrayList<>();
  private final Job job = Job.named("app").deadLetters("dead");
  private final Flow<String, String> in = job.from("in", TEXT, TEXT);

  @Test
  void each_effect_of_an_input_has_a_key_and_the_messages_go_on() {
    in.flatMapValues((key, value) -> List.of(value.split(",")))
        .effect("mail", this::note)
        .effect("call", this::note)
        .to("out", TEXT, TEXT);
    assertThat(run(7, "k", "a,b")).containsExactly("out k=a", "out k=b");
    assertThat(happened)
        .containsExactly(
            "app/mail/in/0/7/0 a",
            "app/call/in/0/7/0 a",
            "app/mail/in/0/7/1 b",
            "app/call/in/0/7/1 b");
  }

  @Test
  void input_that_an_operator_refuses_has_no_effect() {
    Flow<String, String> mailed = in.effect("mail", this::note);
    mailed.mapValues(Integer::valueOf).to("out", TEXT, Serdes.Integer());
    assertThat(run(1, "k", "no number")).containsExactly("dead k=no number");
    assertThat(happened).isEmpty();
    run(2, "k", "5");
    assertThat(happened).as("nothing of the refused one").containsExactly("app/mail/in/0/2/0 5");
  }

  @Test
  void the_effects_behind_calls_in_parallel_are_those_of_their_input() {
    Flow<String, String> early =
        Job.named("other").from("in", TEXT, TEXT).effect("early", this::note);
    assertThatThrownBy(() -> early.mapValuesInParallel(2, v -> v))
        .hasMessageContaining("mapValuesInParallel after early");
    in.mapValuesInParallel(2, value -> value + "!")
        .effect("mail", this::note)
        .to("out", TEXT, TEXT);
    Pipeline pipeline = pipeline();
    List<Pipeline.Prepared> slice =
        List.of(pipeline.prepare(record(0, "a", "x")), pipeline.prepare(record(1, "b", "y")));
    assertThat(happened).isEmpty();
    slice.forEach(prepared -> assertThat(pipeline.finish(prepared).outputs()).hasSize(1));
    assertThat(happened).containsExactly("app/mail/in/0/0/0 x!", "app/mail/in/0/1/0 y!");
  }

  @Test
  void an_effect_that_throws_makes_its_input_a_dead_letter_without_output() {
    in.effect(
            "mail",
            (key, message) -> {
              throw new IOException("no such box");
            })
        .to("out", TEXT, TEXT);
    Pipeline.Result result = pipeline().run(record(3, "k", "v"));
    assertThat(result.isDead()).isTrue();
    assertThat(result.outputs()).hasSize(1);
    Map<String, String> headers = new LinkedHashMap<>();
    result.outputs().get(0).headers().forEach(each -> headers.put(each.key(), text(each.value())));
    assertThat(headers)
        .containsEntry("fencepost.reason", "effect app/mail/in/0/3/0 failed")
        .containsEntry("fencepost.exception", "java.io.IOException: no such box");
  }

  @Test
  void timers_that_are_due_at_one_time_have_effects_of_different_keys() {
    in.process("late", Reminder::new).effect("mail", this::note).to("out", TEXT, TEXT);
    FakeCluster cluster = new FakeCluster(1);
    cluster.publish(INPUT, List.of(record(0, "a", "x"), record(1, "b", "x")));
    runUntil(cluster, 4);
    assertThat(happened).hasSize(4).doesNotHaveDuplicates();
    assertThat(happened).allMatch(each -> each.matches("app/mail/late/0/[0-9a-f]{24}/0/0 .*"));
    List<String> before = List.copyOf(happened);
    happened.clear();
    cluster.startOver();
    runUntil(cluster, 4);
    assertThat(happened).as("the same at a replay").isEqualTo(before);
  }

  @Test
  void under_faults_every_input_has_its_effect_and_a_repetition_has_the_same_key() {
    int repetitions = 0;
    for (long seed = 1; seed <= 30; seed++) {
      happened.clear();
      Job faulty = Job.named("app");
      faulty
          .from("in", TEXT, TEXT)
          .<String, Integer, String, Integer>process(
              StoreSpec.keyed("counts", TEXT, Serdes.Integer()),
              (message, store, out) -> {
                Integer before = store.get("n");
                store.put("n", before == null ? 1 : before + 1);
                out.emit(message.withValue(1));
              })
          .effect("mail", (key, message) -> happened.add(key + " " + message.key()))
          .to("out", TEXT, Serdes.Integer());
      FakeCluster cluster = new FakeCluster(seed);
      List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
      for (int offset = 0; offset < 60; offset++) {
        log.add(record(offset, "k" + offset, "v"));
      }
      cluster.publish(INPUT, log);
      cluster.faultRate = 0.02;
      drive(faulty, cluster, 60);
      Set<String> distinct = new LinkedHashSet<>(happened);
      assertThat(distinct).as("seed %s: one key for each input", seed).hasSize(60);
      repetitions += happened.size() - distinct.size();
      for (int offset = 0; offset < 60; offset++) {
        assertThat(distinct).contains("app/mail/in/0/" + offset + "/0 k" + offset);
      }
    }
    assertThat(repetitions).as("tries after aborts").isPositive();
  }

  @Test
  void an_effect_that_asks_to_try_again_later_is_tried_again_until_time_is_up() {
    List<EffectKey> tries = new ArrayList<>();
    in.effect(
            "call",
            (key, message) -> {
              tries.add(key);
              if (tries.size() < 3) {
                throw new TryAgainLater("the server is away", null);
              }
            })
        .to("out", TEXT, TEXT);
    FakeCluster cluster = new FakeCluster(1);
    cluster.publish(INPUT, List.of(record(0, "k", "v")));
    JobCounts counts = runUntil(cluster, 1);
    assertThat(counts.aborts()).isEqualTo(2);
    assertThat(counts.deadLetters()).isZero();
    assertThat(tries).hasSize(3).containsOnly(tries.get(0));

    Job hopeless = Job.named("app");
    hopeless
        .from("in", TEXT, TEXT)
        .effect(
            "call",
            (key, message) -> {
              throw new TryAgainLater("away for good", null);
            });
    cluster.committedOffsets().clear();
    TaskLoop loop = loop(hopeless, cluster);
    for (long nowMs = 0; loop.step(nowMs); nowMs += 50) {
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(1_000_000);
    }
    assertThat(Objects.requireNonNull(loop.end()).reason()).isEqualTo(StopReason.TIMED_OUT);
    assertThat(Objects.requireNonNull(loop.end()).detail()).contains("away for good");
  }

  @Test
  void a_stamped_message_carries_its_key_through_a_topic() {
    in.stampEffectKeys("outbox").to("outbox", TEXT, TEXT);
    List<Gateway.Output> outputs = pipeline().run(record(9, "k", "v")).outputs();
    ConsumerRecord<byte[], byte[]> read = record(0, "k", "v");
    outputs.get(0).headers().forEach(read.headers()::add);
    Message<String, String> message =
        new Message<>("k", "v", 0, read.headers(), new Origin("outbox", 0, 0));
    assertThat(EffectKey.of(message))
        .isEqualTo(new EffectKey("app", "outbox", new Origin("in", 0, 9), "", 0));
    assertThat(EffectKey.of(message.withHeaders(record(0, "k", "v").headers()))).isNull();
  }

  @Test
  void the_text_of_a_key_can_be_read_back_and_nothing_else_can() {
    for (String text : List.of("a/mail/in/0/17/2", "a/mail/late/3/00ff/1234/0")) {
      assertThat(EffectKey.parse(text)).hasToString(text);
    }
    assertThat(EffectKey.parse("a/mail/in/0/17/2").uuid())
        .hasToString("d306d3b5-02a4-3263-887a-72b49eae7b04");
    for (String text : List.of("", "a/b", "a/mail/in/0/x/2", "a/mail/in/0/1/2/3/4")) {
      assertThatThrownBy(() -> EffectKey.parse(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is no effect key");
    }
  }

  @Test
  void the_guarantee_names_the_effects_that_it_does_not_cover() {
    JobConfig config = JobConfig.of(Map.of("bootstrap.servers", "b:1"));
    assertThat(job.guarantee(config)).doesNotContain("effects    ");
    in.effect("mail", this::note);
    assertThat(job.guarantee(config)).contains("  effects    mail: run before the commit");
    assertThat(job.describe()).contains("mail");
    assertThatThrownBy(() -> in.effect("mail", this::note)).hasMessageContaining("two operators");
  }

  /** At the end of each input two timers of its key, due at time 0. */
  private static final class Reminder implements TimedProcessor<String, String, String, String> {
    private @Nullable ProcessorContext<String, String> context;

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    @Override
    public void process(Message<String, String> input) {
      Objects.requireNonNull(context).timers().atEventTime("first", 0);
      Objects.requireNonNull(context).timers().atEventTime("second", 0);
    }

    @Override
    public void onTimer(Timer<String> timer) {
      ProcessorContext<String, String> opened = Objects.requireNonNull(context);
      opened.emit(opened.message(timer.key(), timer.name(), timer.timeMs()));
    }
  }

  private void note(EffectKey key, Message<String, String> message) {
    happened.add(key + " " + message.value());
  }

  private JobCounts runUntil(FakeCluster cluster, int outputs) {
    return drive(job, cluster, outputs);
  }

  /** Starts processes, as they die, until so many outputs are committed. */
  private static JobCounts drive(Job job, FakeCluster cluster, int outputs) {
    TaskLoop loop = loop(job, cluster);
    long nowMs = 0;
    while (cluster.committedOutput().size() < outputs) {
      nowMs += 30;
      assertThat(nowMs).as("time, to stop a loop that never ends").isLessThan(10_000_000);
      try {
        if (!loop.step(nowMs)) {
          loop = loop(job, cluster);
        }
      } catch (FakeCluster.Death e) {
        loop = loop(job, cluster);
      }
    }
    return loop.counts();
  }

  private static TaskLoop loop(Job job, FakeCluster cluster) {
    MemoryClient clients = cluster.clients(job, "app");
    JobPlan plan = new JobPlan(job, "app", 1 << 20);
    return new TaskLoop(
        plan,
        new LoopSettings(1, 50, 1_000, Long.MAX_VALUE, 0, 5_000, Long.MAX_VALUE),
        clients,
        clients.reader(),
        task -> new MemoryTable(plan.parts().get(0).tableCount()),
        new CyclePropertyTest.Silence(),
        InstantSource.fixed(Instant.EPOCH),
        Lanes.NONE);
  }

  private List<String> run(long offset, String key, String value) {
    return pipeline().run(record(offset, key, value)).outputs().stream()
        .map(out -> out.topic() + " " + text(out.key()) + "=" + text(out.value()))
        .toList();
  }

  private Pipeline pipeline() {
    TaskPlan plan = new JobPlan(job, "app", 1 << 20).parts().get(0);
    return new Pipeline(plan, new TaskContext(plan), Lanes.NONE);
  }

  private static ConsumerRecord<byte[], byte[]> record(long offset, String key, String value) {
    return new ConsumerRecord<>(
        "in",
        0,
        offset,
        100,
        TimestampType.CREATE_TIME,
        key.length(),
        value.length(),
        bytes(key),
        bytes(value),
        new ConsumerRecord<>("", 0, 0, "", "").headers(),
        Optional.empty());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
