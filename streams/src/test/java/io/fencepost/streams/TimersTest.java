package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.task.DeadLetter;
import io.fencepost.streams.test.JobEndedException;
import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.Point;
import io.fencepost.streams.test.TestTopic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timers of both kinds, through the whole engine. */
class TimersTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final Instant START = Instant.ofEpochMilli(1_000_000);

  /**
   * Obeys commands in values: {@code event NAME MS}, {@code wall NAME MS} (both since START),
   * {@code cancel-event NAME}, {@code cancel-wall NAME}, {@code none}. What fires comes out as
   * {@code NAME@MS/EVENT-TIME}.
   */
  private static class Alarm implements TimedProcessor<String, String, String, String> {
    private @Nullable ProcessorContext<String, String> context;

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    final ProcessorContext<String, String> context() {
      if (context == null) {
        throw new IllegalStateException("not open");
      }
      return context;
    }

    @Override
    public void process(Message<String, String> input) {
      for (String command : input.value().split(",")) {
        obey(command.split(" "));
      }
    }

    private void obey(String[] words) {
      Timers timers = context().timers();
      switch (words[0]) {
        case "event" -> timers.atEventTime(words[1], at(words[2]));
        case "wall" -> timers.atWallClock(words[1], at(words[2]));
        case "cancel-event" -> timers.cancel(Timer.Kind.EVENT_TIME, words[1]);
        case "cancel-wall" -> timers.cancel(Timer.Kind.WALL_CLOCK, words[1]);
        case "fail" -> throw new IllegalStateException("told to fail");
        default -> {}
      }
    }

    private static long at(String ms) {
      return START.toEpochMilli() + Long.parseLong(ms);
    }

    @Override
    public void onTimer(Timer<String> timer) {
      long sinceMs = timer.timeMs() - START.toEpochMilli();
      long eventMs = context().eventTimeMs() - START.toEpochMilli();
      String text = timer.name() + "@" + sinceMs + "/" + eventMs;
      context().emit(context().message(timer.key(), text, timer.timeMs()));
      if (timer.name().startsWith("bad")) {
        throw new IllegalStateException("bad timer");
      }
      if (timer.name().startsWith("again") && sinceMs < 30) {
        timers().atEventTime(timer.name(), timer.timeMs() + 10);
      }
      if (timer.name().startsWith("every") && sinceMs < 3_000) {
        timers().atWallClock(timer.name(), timer.timeMs() + 1_000);
      }
    }

    private Timers timers() {
      return context().timers();
    }
  }

  private static Job job(boolean hasDeadLetters) {
    Job job = Job.named("alarms");
    if (hasDeadLetters) {
      job.deadLetters("dead");
    }
    job.from("in", TEXT, TEXT).<String, String>process("alarm", Alarm::new).to("out", TEXT, TEXT);
    return job;
  }

  private final JobTest test = JobTest.of(job(true)).startAt(START);
  private final TestTopic<String, String> in = test.topic("in", TEXT, TEXT);

  private void send(String key, long sinceMs, String commands) {
    in.send(key, commands, START.plusMillis(sinceMs));
  }

  private List<String> fired() {
    return test.topic("out", TEXT, TEXT).next().stream()
        .map(record -> record.key() + " " + record.value())
        .toList();
  }

  @Test
  void an_event_time_timer_fires_when_a_message_of_any_key_brings_its_time() {
    send("a", 0, "event t 100");
    send("b", 99, "none");
    test.run();
    assertThat(fired()).isEmpty();
    send("b", 100, "none");
    test.run();
    assertThat(fired()).containsExactly("a t@100/100");
    send("b", 500, "none");
    test.run();
    assertThat(fired()).as("once").isEmpty();
  }

  @Test
  void event_time_never_goes_back_and_a_timer_in_its_past_fires_at_once() {
    send("a", 1_000, "none");
    send("a", 10, "event late 500");
    test.run();
    assertThat(fired()).containsExactly("a late@500/1000");
  }

  @Test
  void timers_fire_in_the_order_of_their_times_then_keys_then_names() {
    send("b", 0, "event y 20,event x 20,event z 10");
    send("a", 0, "event y 20");
    send("a", 50, "none");
    test.run();
    assertThat(fired()).containsExactly("b z@10/50", "a y@20/50", "b x@20/50", "b y@20/50");
  }

  @Test
  void a_wall_clock_timer_fires_without_input_and_not_early() {
    send("a", 0, "wall t 1000");
    test.run();
    test.advance(Duration.ofMillis(999));
    assertThat(fired()).isEmpty();
    test.advance(Duration.ofMillis(1));
    assertThat(fired()).containsExactly("a t@1000/0");
    test.advance(Duration.ofDays(1));
    assertThat(fired()).isEmpty();
    assertThat(test.counts().records()).as("a timer is no input").isEqualTo(1);
    assertThat(test.counts().emitted()).isEqualTo(1);
  }

  @Test
  void the_two_kinds_of_time_know_nothing_of_each_other() {
    send("a", 0, "wall t 1000,event t 1000");
    send("a", 5_000, "none");
    test.run();
    assertThat(fired()).containsExactly("a t@1000/5000");
    test.advance(Duration.ofSeconds(1));
    assertThat(fired()).containsExactly("a t@1000/5000");
  }

  @Test
  void setting_a_timer_again_moves_it_forth_and_back() {
    send("a", 0, "event t 100,event u 100");
    send("a", 1, "event t 200,event u 50");
    send("a", 60, "none");
    test.run();
    assertThat(fired()).containsExactly("a u@50/60");
    send("a", 199, "none");
    test.run();
    assertThat(fired()).isEmpty();
    send("a", 200, "none");
    test.run();
    assertThat(fired()).containsExactly("a t@200/200");
  }

  @Test
  void a_cancelled_timer_does_not_fire_and_the_others_of_its_key_do() {
    send("a", 0, "event t 100,event u 100,wall t 100");
    send("b", 0, "event t 100");
    send("a", 1, "cancel-event t,cancel-event none,cancel-wall t");
    send("a", 100, "none");
    test.advance(Duration.ofMillis(200));
    assertThat(fired()).containsExactly("a u@100/100", "b t@100/100");
  }

  @Test
  void a_timer_may_set_itself_again() {
    send("a", 0, "event again 10,wall every 1000");
    send("a", 25, "none");
    test.run();
    assertThat(fired()).containsExactly("a again@10/25", "a again@20/25");
    send("a", 30, "none");
    test.run();
    assertThat(fired()).containsExactly("a again@30/30");
    test.advance(Duration.ofMillis(2_500));
    assertThat(fired()).containsExactly("a every@1000/30", "a every@2000/30");
    test.advance(Duration.ofSeconds(10));
    assertThat(fired()).containsExactly("a every@3000/30");
  }

  @Test
  void timers_of_an_input_that_fails_are_not_set() {
    send("a", 0, "event t 10,fail");
    send("a", 20, "none");
    test.run();
    assertThat(fired()).isEmpty();
    assertThat(test.deadLetters()).hasSize(1);
  }

  @Test
  void a_failing_timer_becomes_a_dead_letter_and_is_gone() {
    send("a", 0, "event bad 10,event good 10");
    send("b", 10, "none");
    test.run();
    assertThat(fired()).as("nothing of the bad one").containsExactly("a good@10/10");
    assertThat(test.deadLetters())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.key()).isEqualTo("a");
              assertThat(dead.value()).isNull();
              assertThat(dead.header(DeadLetter.SOURCE_TOPIC)).isEqualTo("alarm");
              assertThat(dead.header(DeadLetter.SOURCE_OFFSET))
                  .isEqualTo(String.valueOf(START.toEpochMilli() + 10));
              assertThat(dead.header(DeadLetter.REASON)).contains("timer bad of operator alarm");
              assertThat(dead.header(DeadLetter.EXCEPTION)).contains("bad timer");
            });
    send("b", 1_000, "none");
    test.loseState().restart().run();
    assertThat(test.deadLetters()).hasSize(1);
  }

  @Test
  void a_failing_timer_stops_a_job_without_dead_letters_and_stays() {
    try (JobTest strict = JobTest.of(job(false)).startAt(START)) {
      strict.topic("in", TEXT, TEXT).send("a", "wall bad 10");
      assertThatThrownBy(() -> strict.advance(Duration.ofMillis(10)))
          .isInstanceOf(JobEndedException.class)
          .hasMessageContaining("POISON_INPUT")
          .hasMessageContaining("timer bad of operator alarm failed");
      assertThatThrownBy(strict::run).hasMessageContaining("timer bad of operator alarm failed");
    }
  }

  @Test
  void an_abort_restores_the_timer_that_fired_in_it() {
    send("a", 0, "event t 10,wall w 10");
    test.run();
    test.abortNext();
    send("a", 10, "none");
    test.run();
    assertThat(fired()).containsExactly("a t@10/10");
    test.abortNext();
    test.advance(Duration.ofMillis(10));
    assertThat(fired()).containsExactly("a w@10/10");
    assertThat(test.counts().aborts()).isEqualTo(2);
    test.advance(Duration.ofDays(1));
    assertThat(fired()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Point.class)
  void a_timer_fires_once_wherever_the_process_dies(Point point) {
    for (boolean losesState : new boolean[] {false, true}) {
      for (boolean isWallClock : new boolean[] {false, true}) {
        try (JobTest each = JobTest.of(job(true)).startAt(START)) {
          TestTopic<String, String> input = each.topic("in", TEXT, TEXT);
          input.send("a", (isWallClock ? "wall" : "event") + " t 10", START);
          each.run();
          each.crashAt(point);
          if (losesState) {
            each.loseState();
          }
          if (!isWallClock) {
            input.send("a", "none", START.plusMillis(10));
          }
          each.advance(Duration.ofMillis(10));
          input.send("a", "none", START.plusMillis(1_000));
          each.advance(Duration.ofMinutes(1));
          assertThat(each.crashes()).isEqualTo(1);
          assertThat(each.topic("out", TEXT, TEXT).committed())
              .as("state lost %b, wall clock %b", losesState, isWallClock)
              .hasSize(1);
        }
      }
    }
  }

  @Test
  void timers_and_event_time_are_back_after_a_restart_and_after_lost_state() {
    List<Runnable> ends = new ArrayList<>();
    ends.add(test::restart);
    ends.add(test::crash);
    ends.add(() -> test.loseState().restart());
    ends.add(() -> test.loseState().crash());
    send("a", 0, "event t 10000,wall w 10000");
    send("a", 700, "none");
    test.run();
    for (Runnable end : ends) {
      end.run();
      send("b", 5, "event past 600"); // fires at once only if event time is still known
      test.run();
      assertThat(fired()).containsExactly("b past@600/700");
    }
    send("b", 10_000, "none");
    test.advance(Duration.ofSeconds(10));
    assertThat(fired()).containsExactlyInAnyOrder("a t@10000/10000", "a w@10000/10000");
  }

  @Test
  void event_time_counts_per_task_and_survives_where_nothing_else_was_written() {
    try (JobTest two = JobTest.of(job(true)).startAt(START).partitions(2)) {
      TestTopic<String, String> input = two.topic("in", TEXT, TEXT);
      input.prepare("a", "event t 100").at(START).to(0).send();
      input.prepare("b", "none").at(START.plusMillis(500)).to(1).send();
      two.run();
      assertThat(two.topic("out", TEXT, TEXT).committed()).isEmpty();
      two.loseState().restart().run();
      input.prepare("b", "event u 400").at(START).to(1).send();
      two.run();
      assertThat(two.topic("out", TEXT, TEXT).committed())
          .singleElement()
          .satisfies(record -> assertThat(record.value()).isEqualTo("u@400/500"));
    }
  }

  @Test
  void a_message_without_a_key_sets_no_timer() {
    in.send(null, "event t 10");
    test.run();
    assertThat(test.deadLetters())
        .singleElement()
        .satisfies(dead -> assertThat(dead.header(DeadLetter.REASON)).contains("has no key"));
  }

  /** Sets as many timers as its input says; one of name "again" sets itself for the same time. */
  private static final class Flood extends Alarm {
    private final int[] fired;

    Flood(int[] fired) {
      this.fired = fired;
    }

    @Override
    public void process(Message<String, String> input) {
      if (input.value().equals("again")) {
        context().timers().atEventTime("again", 0);
        return;
      }
      for (int i = 0; i < Integer.parseInt(input.value()); i++) {
        context().timers().atEventTime("t" + i, 0);
      }
    }

    @Override
    public void onTimer(Timer<String> timer) {
      fired[0]++;
      if (timer.name().equals("again")) {
        context().timers().atEventTime("again", timer.timeMs());
      }
    }
  }

  @Test
  void a_timer_that_sets_itself_again_at_once_is_told_within_a_second() {
    int[] fired = {0};
    try (JobTest test = JobTest.of(flood(fired))) {
      test.topic("in", TEXT, TEXT).send("k", "again");
      assertThatThrownBy(test::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("does not come to rest")
          .hasMessageContaining("set itself again");
      assertThat(fired[0]).as("a second's work").isLessThan(200_000);
    }
  }

  @Test
  @Tag("soak")
  void very_many_timers_that_are_due_at_once_come_to_rest() {
    int[] fired = {0};
    try (JobTest test = JobTest.of(flood(fired))) {
      test.topic("in", TEXT, TEXT).send("k", "300000");
      test.run();
      assertThat(fired[0]).isEqualTo(300_000);
    }
  }

  private static Job flood(int[] fired) {
    Job job = Job.named("flood");
    job.from("in", TEXT, TEXT)
        .process("flood", () -> new Flood(fired), StoreSpec.timed("flood", "flood"))
        .to("out", TEXT, TEXT);
    return job;
  }
}
