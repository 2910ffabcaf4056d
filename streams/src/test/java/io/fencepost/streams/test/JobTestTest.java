package io.fencepost.streams.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.task.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The driver itself, on one small job: what comes out, and that nothing that happens changes it.
 */
class JobTestTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final StoreSpec<String, Long> COUNTS =
      StoreSpec.keyed("counts", Serdes.String(), Serdes.Long());

  private static Job counting() {
    Job job = Job.named("counting").deadLetters("dead");
    job.from("in", TEXT, TEXT)
        .filter((key, value) -> Integer.parseInt(value) > 0)
        .<String, Long, String, Long>process(
            COUNTS,
            (in, store, out) -> {
              Long before = store.get(in.key());
              long count = before == null ? 1 : before + 1;
              store.put(in.key(), count);
              out.emit(in.withValue(count));
            })
        .to("out", TEXT, Serdes.Long());
    return job;
  }

  @Test
  void an_error_ends_the_job_and_its_input_is_named() {
    Job job = Job.named("errors").deadLetters("dead");
    job.from("in", Serdes.String(), Serdes.String())
        .peek(
            message -> {
              if (message.value().equals("bad")) {
                throw new AssertionError("not mine");
              }
            })
        .to("out", Serdes.String(), Serdes.String());
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", Serdes.String(), Serdes.String()).send("a", "good").send("b", "bad");
      assertThatThrownBy(test::run)
          .isInstanceOf(JobEndedException.class)
          .hasMessageContaining("at input in-0@1: java.lang.AssertionError: not mine");
      assertThat(test.topic("out", Serdes.String(), Serdes.String()).committed()).isEmpty();
    }
  }

  @Test
  void records_keep_time_headers_and_key_and_go_where_kafka_would_put_them() {
    try (JobTest test = JobTest.of(counting()).partitions(3)) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      in.prepare("a", "1").at(5_000).header("trace", "t1").send();
      in.send("b", "1");
      in.prepare("a", "2").to(2).send();
      test.run();
      List<TestRecord<String, Long>> out = test.topic("out", TEXT, Serdes.Long()).committed();
      assertThat(out).extracting(TestRecord::key).containsExactlyInAnyOrder("a", "b", "a");
      assertThat(out.stream().filter(record -> record.timestampMs() == 5_000))
          .singleElement()
          .satisfies(
              record -> {
                assertThat(record.header("trace")).isEqualTo("t1");
                assertThat(record.partition())
                    .isEqualTo(KeyPartitions.partition("a".getBytes(StandardCharsets.UTF_8), 3, 0));
              });
      assertThat(out.stream().filter(record -> "b".equals(record.key())))
          .extracting(TestRecord::timestampMs)
          .containsExactly(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());
    }
  }

  @Test
  void a_store_shows_what_is_committed_per_partition() {
    try (JobTest test = JobTest.of(counting()).partitions(2)) {
      test.topic("in", TEXT, TEXT).send("a", "1").send("a", "1").send("b", "1");
      assertThat(test.store(COUNTS).all()).isEmpty();
      test.run();
      assertThat(test.store(COUNTS).get("a")).isEqualTo(2);
      assertThat(test.store(COUNTS).get("c")).isNull();
      assertThat(test.store(COUNTS).all()).hasSize(2).containsEntry("b", 1L);
      test.topic("in", TEXT, TEXT).prepare("a", "1").to(0).send();
      test.topic("in", TEXT, TEXT).prepare("a", "1").to(1).send();
      test.run();
      assertThat(test.store(COUNTS).entries()).extracting(TestStore.Entry::key).contains("a", "a");
      assertThatThrownBy(() -> test.store(COUNTS).get("a")).hasMessageContaining("several");
    }
  }

  @Test
  void next_shows_each_record_once() {
    try (JobTest test = JobTest.of(counting())) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      TestTopic<String, Long> out = test.topic("out", TEXT, Serdes.Long());
      in.send("a", "1");
      test.run();
      assertThat(out.next()).extracting(TestRecord::value).containsExactly(1L);
      in.send("a", "1");
      test.run();
      assertThat(out.next()).extracting(TestRecord::value).containsExactly(2L);
      assertThat(out.next()).isEmpty();
    }
  }

  @Test
  void what_fails_is_a_dead_letter_with_its_reason() {
    try (JobTest test = JobTest.of(counting())) {
      test.topic("in", TEXT, TEXT).send("a", "no number").send("a", "1");
      test.run();
      assertThat(test.deadLetters())
          .singleElement()
          .satisfies(
              dead -> {
                assertThat(dead.value()).isEqualTo("no number");
                assertThat(dead.header(DeadLetter.EXCEPTION)).contains("NumberFormatException");
                assertThat(dead.header(DeadLetter.SOURCE_OFFSET)).isEqualTo("0");
              });
      assertThat(test.counts().deadLetters()).isEqualTo(1);
      assertThat(test.counts().records()).isEqualTo(2);
    }
  }

  @Test
  void a_job_that_ends_says_why_and_goes_on_at_the_same_record() {
    boolean[] isBroken = {true};
    Job job = Job.named("picky");
    job.from("in", TEXT, TEXT)
        .filter(
            (key, value) -> {
              if (isBroken[0] && value.equals("bad")) {
                throw new IllegalArgumentException("no");
              }
              return true;
            })
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("a", "good").send("a", "bad");
      assertThatThrownBy(test::run)
          .isInstanceOfSatisfying(
              JobEndedException.class,
              e -> assertThat(e.end().reason()).isEqualTo(StopReason.POISON_INPUT))
          .hasMessageContaining("in-0@1 cannot be processed");
      isBroken[0] = false;
      test.run();
      assertThat(test.topic("out", TEXT, TEXT).committed())
          .extracting(TestRecord::value)
          .containsExactly("good", "bad");
    }
  }

  @ParameterizedTest
  @EnumSource(Point.class)
  void a_crash_at_any_point_changes_nothing_that_is_committed(Point point) {
    for (int time = 1; time <= 2; time++) {
      for (boolean losesState : new boolean[] {false, true}) {
        try (JobTest test = JobTest.of(counting()).partitions(2)) {
          TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
          in.send("a", "1").send("b", "1");
          test.run();
          test.crashAt(point, time);
          if (losesState) {
            test.loseState();
          }
          in.send("a", "1").send("b", "1").send("a", "bad").send("a", "1").send("b", "1");
          test.run();
          if (test.crashes() == 0) { // one step per transaction: the second is in another one
            in.send("c", "1");
            test.run();
          }
          assertThat(test.crashes()).isEqualTo(1);
          assertThat(test.topic("out", TEXT, Serdes.Long()).committed())
              .filteredOn(record -> !"c".equals(record.key()))
              .extracting(record -> record.key() + record.value())
              .containsExactlyInAnyOrder("a1", "b1", "a2", "b2", "a3", "b3");
          assertThat(test.deadLetters()).hasSize(1);
        }
      }
    }
  }

  @Test
  void a_lost_answer_an_abort_a_rebalance_and_a_restart_change_nothing_either() {
    List<Consumer<JobTest>> incidents =
        List.of(
            JobTest::loseNextAnswer,
            JobTest::abortNext,
            JobTest::rebalance,
            JobTest::restart,
            JobTest::crash,
            test -> test.loseState().restart());
    for (int i = 0; i < incidents.size(); i++) {
      try (JobTest test = JobTest.of(counting())) {
        TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
        in.send("a", "1");
        test.run();
        in.send("a", "1");
        incidents.get(i).accept(test);
        test.run();
        assertThat(test.topic("out", TEXT, Serdes.Long()).committed())
            .as("incident %d", i)
            .extracting(TestRecord::value)
            .containsExactly(1L, 2L);
        assertThat(test.committedOffsets()).containsEntry("in-0", 2L);
      }
    }
  }

  @Test
  void aborted_records_are_seen_by_uncommitted_readers_only() {
    try (JobTest test = JobTest.of(counting())) {
      test.topic("in", TEXT, TEXT).send("a", "1");
      test.abortNext().run();
      TestTopic<String, Long> out = test.topic("out", TEXT, Serdes.Long());
      assertThat(out.uncommitted()).extracting(TestRecord::value).containsExactly(1L, 1L);
      assertThat(out.committed()).extracting(TestRecord::offset).containsExactly(2L);
      assertThat(test.counts().aborts()).isEqualTo(1);
      assertThat(test.counts().records()).isEqualTo(1);
    }
  }

  @Test
  void mistakes_of_a_test_are_named() {
    try (JobTest test = JobTest.of(counting())) {
      assertThatThrownBy(() -> test.topic("inn", TEXT, TEXT).send("a", "1"))
          .hasMessageContaining("does not read topic inn");
      assertThatThrownBy(() -> test.topic("ouut", TEXT, TEXT).committed())
          .hasMessageContaining("no topic [ouut]");
      assertThatThrownBy(() -> test.store("nope", TEXT, TEXT)).hasMessageContaining("[counts]");
      assertThatThrownBy(() -> test.setting("processing.guarantee", "at_least_once"))
          .hasMessageContaining("exactly_once_v2");
    }
    try (JobTest test = JobTest.of(Job.named("idle"))) {
      assertThatThrownBy(test::run).isInstanceOf(JobStartException.class);
    }
  }

  @Test
  void the_clock_moves_by_hand_only() {
    try (JobTest test = JobTest.of(counting()).startAt(Instant.ofEpochSecond(100))) {
      test.topic("in", TEXT, TEXT).send("a", "1");
      test.run();
      assertThat(test.now()).isEqualTo(Instant.ofEpochSecond(100));
      test.advance(Duration.ofMinutes(1));
      assertThat(test.now()).isEqualTo(Instant.ofEpochSecond(160));
      assertThat(test.describe()).contains("topic out", "a=1", "store counts: 1 entries");
    }
  }
}
