package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.TestTopic;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The event time of an operator without stores. */
class EventTimeTest {
  private static final Serde<String> TEXT = Serdes.String();

  /** Puts out its event time. */
  private static final class Clock implements Processor<String, String, String, String> {
    private @Nullable ProcessorContext<String, String> context;

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    @Override
    public void process(Message<String, String> input) {
      if (context == null || input.value().equals("fail")) {
        throw new IllegalStateException("told to fail");
      }
      context.emit(input.withValue(String.valueOf(context.eventTimeMs())));
    }
  }

  private final JobTest test = JobTest.of(job());
  private final TestTopic<String, String> in = test.topic("in", TEXT, TEXT);

  private static Job job() {
    Job job = Job.named("clock").deadLetters("dead");
    job.from("in", TEXT, TEXT).<String, String>process("clock", Clock::new).to("out", TEXT, TEXT);
    return job;
  }

  private void send(String value, long timeMs) {
    in.prepare("k", value).at(timeMs).send();
  }

  private List<String> times() {
    test.run();
    return test.topic("out", TEXT, TEXT).next().stream()
        .<String>map(record -> record.value())
        .toList();
  }

  @Test
  void input_that_is_read_again_after_an_abort_sees_the_event_time_of_its_place() {
    send("a", 10);
    assertThat(times()).containsExactly("10");
    send("b", 20);
    send("c", 15);
    send("d", 90);
    test.abortNext();
    assertThat(times()).containsExactly("20", "20", "90");
    assertThat(test.counts().aborts()).isEqualTo(1);
  }

  @Test
  void a_dead_letter_does_not_move_event_time() {
    send("fail", 90);
    send("a", 10);
    assertThat(times()).containsExactly("10");
  }
}
