package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.SessionFlow;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.Windows;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class SessionWindowTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final Windows.Sessions GAP_10 = Windows.session(Duration.ofMillis(10));
  private static final Windows.Sessions PATIENT = GAP_10.grace(Duration.ofMillis(100));

  private final Job job = Job.named("j").deadLetters("dead");
  private final Flow<String, String> in = job.from("in", TEXT, TEXT);

  private static <A> void show(Flow<Windowed<String>, A> results) {
    results
        .map(result -> result.withKey(result.key().toString()))
        .mapValues(String::valueOf)
        .to("out", TEXT, TEXT);
  }

  private static Flow<Windowed<String>, String> joined(SessionFlow<String, String> sessions) {
    return sessions.reduce("joined", TEXT, (a, b) -> b.equals("-") ? null : a + b);
  }

  @Test
  void a_session_goes_from_its_first_message_to_the_gap_after_its_last() {
    show(in.window(GAP_10).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 3);
    bench.send("a", "", 12);
    bench.send("b", "", 21);
    assertThat(bench.out()).isEmpty();
    bench.send("b", "", 22);
    assertThat(bench.out()).containsExactly("out a[3, 22)=2@21");
  }

  @Test
  void messages_a_whole_gap_apart_are_in_two_sessions() {
    show(in.window(PATIENT).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 0);
    bench.send("a", "", 10);
    bench.send("z", "", 500);
    assertThat(bench.out()).containsExactly("out a[0, 10)=1@9", "out a[10, 20)=1@19");
  }

  @Test
  void a_message_between_two_sessions_makes_them_one_earlier_first() {
    show(joined(in.window(PATIENT)));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "3", 16);
    bench.send("a", "1", 0);
    bench.send("a", "2", 8);
    bench.send("z", "z", 500);
    assertThat(bench.out()).containsExactly("out a[0, 26)=132@25");
    assertThat(bench.entries(0)).as("z: plan and session").hasSize(2);
  }

  @Test
  void an_earlier_message_moves_the_start_of_a_session() {
    show(in.window(PATIENT).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 20);
    bench.send("a", "", 15);
    bench.send("z", "", 500);
    assertThat(bench.out()).containsExactly("out a[15, 30)=2@29");
  }

  @Test
  void a_late_message_still_joins_a_session_that_is_open() {
    show(
        in.window(GAP_10)
            .late(late -> late.to("late", TEXT, TEXT))
            .reduce("all", TEXT, String::concat));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 9);
    bench.send("b", "-", 18);
    bench.send("a", "2", 2);
    assertThat(bench.out()).isEmpty();
    bench.send("c", "3", 2);
    assertThat(bench.out()).as("no open session of its key").containsExactly("late c=3@2");
    bench.send("z", "", 30);
    assertThat(bench.out()).containsExactly("out a[2, 19)=12@18", "out b[18, 28)=-@27");
  }

  @Test
  void results_come_by_end_then_key_also_of_sessions_that_grew() {
    show(in.window(PATIENT).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("b", "", 0);
    bench.send("a", "", 1);
    bench.send("c", "", 5);
    bench.send("b", "", 5);
    bench.send("d", "", 0);
    bench.send("z", "", 500);
    assertThat(bench.out())
        .containsExactly(
            "out d[0, 10)=1@9", "out a[1, 11)=1@10", "out b[0, 15)=2@14", "out c[5, 15)=1@14");
  }

  @Test
  void each_update_takes_back_the_sessions_that_grew_or_were_joined() {
    show(joined(in.window(PATIENT).onEachUpdate()));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 0);
    bench.send("a", "3", 16);
    bench.send("a", "2", 8);
    assertThat(bench.out())
        .containsExactly(
            "out a[0, 10)=1@0",
            "out a[16, 26)=3@16",
            "out a[0, 10)=null@8",
            "out a[16, 26)=null@8",
            "out a[0, 26)=132@8");
    bench.send("a", "4", 9);
    assertThat(bench.out()).as("same bounds").containsExactly("out a[0, 26)=1324@9");
    bench.send("a", "-", 9);
    assertThat(bench.out()).containsExactly("out a[0, 26)=null@9");
    assertThat(bench.entries(0)).isEmpty();
  }

  @Test
  void a_session_whose_aggregate_was_deleted_has_no_result_and_leaves_the_plan() {
    show(joined(in.window(PATIENT)));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 0);
    bench.send("a", "2", 50);
    bench.send("a", "-", 3);
    bench.out();
    assertThat(bench.entries(0)).as("plan and session of 2").hasSize(2);
    bench.send("z", "z", 500);
    assertThat(bench.out()).containsExactly("out a[50, 60)=2@59");
  }

  @Test
  void a_session_that_grows_is_planned_once() {
    show(in.window(GAP_10).count("counts"));
    TaskBench bench = new TaskBench(job);
    for (int i = 0; i < 1_000; i++) {
      bench.send("a", "", i);
    }
    assertThat(bench.out()).isEmpty();
    assertThat(bench.entries(0)).hasSize(2).isEqualTo(bench.changelog(0));
    bench.send("z", "", 2_000);
    assertThat(bench.out()).containsExactly("out a[0, 1009)=1000@1008");
  }

  @Test
  void sessions_outlive_a_process_its_disk_and_an_abort() {
    show(in.window(GAP_10).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 0);
    bench.send("a", "", 5);
    bench.out();
    bench.send("z", "", 100);
    bench.restartWithoutDisk();
    bench.send("a", "", 14);
    bench.send("a", "", 23);
    bench.out();
    bench.send("z", "", 100);
    bench.abort();
    bench.send("z", "", 33);
    assertThat(bench.out()).containsExactly("out a[0, 33)=4@32");
  }

  @Test
  void a_result_that_cannot_be_processed_is_a_dead_letter() {
    in.window(GAP_10)
        .reduce("all", TEXT, String::concat)
        .mapValues(Integer::parseInt)
        .to("out", Windowed.serde(TEXT), Serdes.Integer());
    TaskBench bench = new TaskBench(job);
    bench.send("a", "no number", 0);
    bench.send("a", "!", 5);
    bench.send("z", "1", 50);
    assertThat(bench.out()).containsExactly("dead a=no number!@15");
    assertThat(bench.entries(0)).hasSize(2);
  }
}
