package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.Point;
import io.fencepost.streams.test.TestRecord;
import io.fencepost.streams.test.TestStore;
import io.fencepost.streams.test.TestTopic;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Flows that get a new key through a topic of the job's own. */
class RepartitionTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final StoreSpec<String, Long> TOTALS =
      StoreSpec.keyed("totals", TEXT, Serdes.Long());

  /** Counts orders by the customer that their value names. */
  private static Job byCustomer() {
    Job job = Job.named("orders").deadLetters("dead");
    count(job.from("in", TEXT, TEXT).keyBy("customer", RepartitionTest::customer, TEXT, TEXT))
        .to("out", TEXT, Serdes.Long());
    return job;
  }

  private static String customer(String order) {
    return order.split(":")[0];
  }

  private static Flow<String, Long> count(Flow<String, String> flow) {
    return flow.process(
        TOTALS,
        (in, store, out) -> {
          Long before = store.get(in.key());
          long total = before == null ? 1 : before + 1;
          store.put(in.key(), total);
          out.emit(in.withValue(total));
        });
  }

  @Test
  void equal_new_keys_meet_in_one_partition_whatever_partition_they_came_from() {
    try (JobTest test = JobTest.of(byCustomer()).partitions(4)) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      for (int i = 0; i < 40; i++) {
        in.send("order-" + i, "customer-" + i % 5 + ":" + i);
      }
      test.run();
      List<TestStore.Entry<String, Long>> entries = test.store(TOTALS).entries();
      assertThat(entries).hasSize(5).allSatisfy(entry -> assertThat(entry.value()).isEqualTo(8));
      assertThat(entries.stream().map(TestStore.Entry::partition).distinct().count())
          .as("more than one partition is used")
          .isGreaterThan(1);
    }
  }

  @Test
  void time_headers_and_value_are_kept_and_only_the_key_changes() {
    try (JobTest test = JobTest.of(byCustomer())) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      in.prepare("o", "c:1").at(77).header("trace", "t").send();
      test.run();
      assertThat(test.topic("orders-customer-repartition", TEXT, TEXT).uncommitted())
          .allSatisfy(
              record -> {
                assertThat(record.key()).isEqualTo("c");
                assertThat(record.value()).isEqualTo("c:1");
              });
      assertThat(test.topic("out", TEXT, Serdes.Long()).committed())
          .singleElement()
          .satisfies(
              record -> {
                assertThat(record.timestampMs()).isEqualTo(77);
                assertThat(record.header("trace")).isEqualTo("t");
              });
    }
  }

  @ParameterizedTest
  @EnumSource(Point.class)
  void each_record_counts_once_wherever_the_process_dies(Point point) {
    for (int time = 1; time <= 4; time++) {
      for (boolean losesState : new boolean[] {false, true}) {
        try (JobTest test = JobTest.of(byCustomer()).partitions(2)) {
          TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
          TreeMap<String, Long> expected = new TreeMap<>();
          test.crashAt(point, time);
          if (losesState) {
            test.loseState();
          }
          for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 6; i++) {
              String customer = "c" + i % 3;
              in.send("o" + round + i, customer + ":" + i);
              expected.merge(customer, 1L, Long::sum);
            }
            test.run();
          }
          assertThat(test.crashes()).isEqualTo(1);
          assertThat(new TreeMap<>(test.store(TOTALS).all()))
              .as("%s, time %d, state lost %b", point, time, losesState)
              .isEqualTo(expected);
          assertThat(test.topic("out", TEXT, Serdes.Long()).committed())
              .extracting(record -> record.key() + record.value())
              .doesNotHaveDuplicates()
              .hasSize(24);
        }
      }
    }
  }

  @Test
  void an_abort_or_a_lost_answer_in_either_half_changes_nothing() {
    for (int halves = 0; halves < 2; halves++) {
      try (JobTest test = JobTest.of(byCustomer())) {
        test.topic("in", TEXT, TEXT).send("o1", "c:1").send("o2", "c:2");
        test.abortNext().loseNextAnswer();
        test.run();
        test.topic("in", TEXT, TEXT).send("o3", "c:3");
        test.loseNextAnswer().abortNext();
        test.run();
        assertThat(test.store(TOTALS).all()).containsEntry("c", 3L);
        assertThat(test.topic("out", TEXT, Serdes.Long()).committed())
            .extracting(TestRecord::value)
            .containsExactly(1L, 2L, 3L);
      }
    }
  }

  @Test
  void the_topic_is_purged_up_to_what_is_committed_and_no_further() {
    try (JobTest test = JobTest.of(byCustomer()).setting("repartition.purge.interval.ms", 60_000)) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      TestTopic<String, String> between = test.topic("orders-customer-repartition", TEXT, TEXT);
      in.send("o1", "c:1").send("o2", "c:2");
      test.run();
      assertThat(between.committed()).hasSize(2);
      test.advance(Duration.ofMinutes(1));
      in.send("o3", "c:3");
      test.run();
      assertThat(between.committed())
          .as("what was committed before the purge is gone")
          .extracting(TestRecord::value)
          .doesNotContain("c:1", "c:2");
      test.loseState().crash();
      in.send("o4", "c:4");
      test.run();
      assertThat(test.topic("out", TEXT, Serdes.Long()).committed())
          .extracting(TestRecord::value)
          .containsExactly(1L, 2L, 3L, 4L);
    }
  }

  @Test
  void a_crash_before_the_second_half_is_committed_loses_nothing_to_the_purge() {
    try (JobTest test = JobTest.of(byCustomer()).setting("repartition.purge.interval.ms", 1)) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      for (int i = 1; i <= 20; i++) {
        test.crashAt(Point.values()[i % Point.values().length], 1 + i % 3);
        in.send("o" + i, "c:" + i);
        test.advance(Duration.ofSeconds(1));
      }
      assertThat(test.crashes()).isGreaterThan(5);
      assertThat(test.store(TOTALS).all()).containsEntry("c", 20L);
    }
  }

  @Test
  void no_new_key_makes_the_input_a_dead_letter() {
    Job job = Job.named("orders").deadLetters("dead");
    job.from("in", TEXT, TEXT)
        .<String>keyBy("customer", value -> null, TEXT, TEXT)
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("o", "c:1");
      test.run();
      assertThat(test.deadLetters()).extracting(TestRecord::key).containsExactly("o");
      assertThat(test.topic("out", TEXT, TEXT).committed()).isEmpty();
    }
  }

  @Test
  void the_topic_has_as_many_partitions_as_what_it_meets_else_as_what_it_comes_from() {
    Job job = Job.named("j");
    Flow<String, String> wide = job.from("wide", TEXT, TEXT);
    Flow<String, String> narrow = job.from("narrow", TEXT, TEXT);
    count(narrow.merge(wide.keyBy("meets", value -> value, TEXT, TEXT)))
        .to("out", TEXT, Serdes.Long());
    wide.keyBy("alone", value -> value, TEXT, TEXT)
        .keyBy("further", value -> value, TEXT, TEXT)
        .to("other", TEXT, TEXT);
    try (JobTest test = JobTest.of(job).partitions("wide", 6).partitions("narrow", 2)) {
      for (int i = 0; i < 50; i++) {
        test.topic("wide", TEXT, TEXT).send("k" + i, "v" + i);
        test.topic("narrow", TEXT, TEXT).send("v" + i, "");
      }
      test.run();
      assertThat(partitionsUsed(test, "j-meets-repartition")).containsExactly(0, 1);
      assertThat(partitionsUsed(test, "j-alone-repartition")).containsExactly(0, 1, 2, 3, 4, 5);
      assertThat(partitionsUsed(test, "j-further-repartition")).containsExactly(0, 1, 2, 3, 4, 5);
      assertThat(test.store(TOTALS).all()).hasSize(50).containsEntry("v7", 2L);
    }
  }

  private static List<Integer> partitionsUsed(JobTest test, String topic) {
    return test.topic(topic, TEXT, TEXT).committed().stream()
        .map(TestRecord::partition)
        .distinct()
        .sorted()
        .toList();
  }

  @Test
  void a_part_may_write_a_topic_that_it_reads_itself() {
    Job job = Job.named("j");
    Flow<String, String> first =
        job.from("in", TEXT, TEXT).keyBy("first", value -> value, TEXT, TEXT);
    Flow<String, Long> counted = count(first);
    count(counted.mapValues(String::valueOf).keyBy("second", value -> "n" + value, TEXT, TEXT))
        .to("out", TEXT, Serdes.Long());
    try (JobTest test = JobTest.of(job).partitions(3)) {
      test.topic("in", TEXT, TEXT).send("k", "a").send("k", "a").send("k", "b");
      test.run();
      assertThat(test.store(TOTALS).all())
          .containsEntry("a", 2L)
          .containsEntry("b", 1L)
          .containsEntry("n1", 2L)
          .containsEntry("n2", 1L);
    }
  }

  @Test
  void state_behind_a_changed_key_without_keyby_is_refused() {
    Job job = Job.named("j");
    Flow<String, String> changed = job.from("in", TEXT, TEXT).map(in -> in.withKey("x"));
    assertThatThrownBy(() -> count(changed)).hasMessageContaining("keyBy");
  }
}
