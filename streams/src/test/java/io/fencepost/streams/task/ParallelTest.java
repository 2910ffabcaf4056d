package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.Point;
import io.fencepost.streams.test.TestTopic;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class ParallelTest {
  private static final Serde<String> TEXT = Serdes.String();

  private final Job job = Job.named("j").deadLetters("dead");
  private final Flow<String, String> in = job.from("in", TEXT, TEXT);

  @Test
  void results_come_in_the_order_of_the_input_and_state_follows() {
    in.filter((key, value) -> !value.equals("skip"))
        .mapValuesInParallel(4, String::toUpperCase)
        .deduplicate("seen", Duration.ofDays(1))
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      TestTopic<String, String> input = test.topic("in", TEXT, TEXT);
      input.send("a", "x").send("b", "y").send("c", "skip").send("a", "z").send("d", "w");
      test.run();
      assertThat(values(test, "out")).containsExactly("X", "Y", "W");
      assertThat(test.counts().duplicates()).isEqualTo(1);
    }
  }

  @Test
  void one_input_that_fails_is_a_dead_letter_and_leaves_nothing_else() {
    Flow<String, String> passed = in.peek(message -> {});
    passed.to("copy", TEXT, TEXT);
    passed
        .mapValuesInParallel(2, value -> String.valueOf(Integer.parseInt(value) + 1))
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("a", "1").send("b", "no number").send("c", "3");
      test.run();
      assertThat(values(test, "out")).containsExactly("2", "4");
      assertThat(values(test, "copy")).containsExactly("1", "3");
      assertThat(values(test, "dead")).containsExactly("no number");
    }
  }

  @Test
  void a_crash_repeats_the_calls_and_nothing_that_can_be_seen() {
    in.mapValuesInParallel(3, value -> value + "!").to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("a", "1").send("b", "2").send("c", "3");
      test.crashAt(Point.BEFORE_COMMIT);
      test.run();
      assertThat(test.crashes()).isEqualTo(1);
      assertThat(values(test, "out")).containsExactly("1!", "2!", "3!");
    }
  }

  @Test
  void behind_state_it_is_refused_and_behind_a_new_key_it_is_not() {
    Flow<String, String> deduplicated = in.deduplicate("seen", Duration.ofDays(1));
    assertThatThrownBy(() -> deduplicated.mapValuesInParallel(2, value -> value))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("after deduplicate")
        .hasMessageContaining("keyBy");
    deduplicated
        .keyBy("by-value", value -> value, TEXT, TEXT)
        .mapValuesInParallel(2, value -> value + "!")
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("a", "1");
      test.run();
      assertThat(values(test, "out")).containsExactly("1!");
    }
  }

  private static List<String> values(JobTest test, String topic) {
    return test.topic(topic, TEXT, TEXT).committed().stream()
        .<String>map(record -> record.value())
        .toList();
  }
}
