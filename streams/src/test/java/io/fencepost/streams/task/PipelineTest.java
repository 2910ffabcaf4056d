package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class PipelineTest {
  private static final Serde<String> TEXT = Serdes.String();

  private final Job job = Job.named("j");
  private final Flow<String, String> in = job.from("in", TEXT, TEXT);

  @Test
  void a_filter_keeps_what_its_condition_holds_for() {
    in.filter((key, value) -> value.startsWith("a")).to("out", TEXT, TEXT);
    assertThat(run("k", "a1")).containsExactly("out k=a1");
    assertThat(run("k", "b1")).isEmpty();
  }

  @Test
  void one_message_becomes_several_under_its_own_key_or_under_others() {
    in.flatMapValues((key, value) -> List.of(value.split(","))).to("values", TEXT, TEXT);
    in.<String, String>flatMap(
            (message, out) -> {
              out.emit(message.withKey("first"));
              out.emit(message.withKey("second").withValue("other"));
            })
        .to("keys", TEXT, TEXT);
    assertThat(run("k", "1,2"))
        .containsExactly("values k=1", "values k=2", "keys first=1,2", "keys second=other");
  }

  @Test
  void two_flows_in_one_see_the_messages_of_both_and_the_later_steps_once_each() {
    Flow<String, String> loud = in.mapValues(value -> value + "!");
    Flow<String, String> moved = in.map(message -> message.withTimestampMs(7).withKey("m"));
    loud.merge(moved).to("out", TEXT, TEXT);
    assertThat(run("k", "v")).containsExactlyInAnyOrder("out k=v!", "out m=v");
  }

  @Test
  void a_checked_exception_of_a_stage_is_the_reason_and_leaves_no_output() {
    in.<String, String>flatMap(
            (message, out) -> {
              out.emit(message);
              throw new IOException("far away");
            })
        .to("out", TEXT, TEXT);
    assertThatThrownBy(() -> run("k", "v"))
        .isInstanceOf(PoisonInput.class)
        .hasMessageContaining("in-0@3 cannot be processed: processing failed")
        .hasRootCauseInstanceOf(IOException.class);
    job.deadLetters("dead");
    assertThat(run("k", "v")).containsExactly("dead k=v");
  }

  private List<String> run(String key, String value) {
    TaskPlan plan = new JobPlan(job, "j", 1 << 20).parts().get(0);
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>("in", 0, 3, bytes(key), bytes(value));
    return new Pipeline(plan, new TaskContext(plan), Lanes.NONE)
        .run(record).outputs().stream()
            .map(out -> out.topic() + " " + text(out.key()) + "=" + text(out.value()))
            .toList();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
