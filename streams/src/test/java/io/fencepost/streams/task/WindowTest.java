package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.Windows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class WindowTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final Windows.Aligned TENS = Windows.tumbling(Duration.ofMillis(10));

  private final Job job = Job.named("j").deadLetters("dead");
  private final Flow<String, String> in = job.from("in", TEXT, TEXT);

  private static <A> void show(Flow<Windowed<String>, A> results) {
    results
        .map(result -> result.withKey(result.key().toString()))
        .mapValues(String::valueOf)
        .to("out", TEXT, TEXT);
  }

  @Test
  void a_tumbling_window_has_one_result_once_event_time_reaches_its_end() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 0);
    bench.send("a", "2", 9);
    assertThat(bench.out()).isEmpty();
    bench.send("a", "3", 10);
    assertThat(bench.out()).containsExactly("out a[0, 10)=2@9");
    bench.send("b", "4", 20);
    assertThat(bench.out()).containsExactly("out a[10, 20)=1@19");
  }

  @Test
  void windows_start_at_multiples_of_their_size_before_1970_too() {
    show(in.window(TENS).reduce("joined", TEXT, String::concat));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "x", -11);
    bench.send("a", "y", -10);
    bench.send("a", "z", -1);
    bench.send("a", "0", 0);
    // Kafka has no timestamps below 0 in records.
    assertThat(bench.out()).containsExactly("out a[-20, -10)=x@0", "out a[-10, 0)=yz@0");
  }

  @Test
  void grace_lets_a_window_take_messages_after_its_end_until_it_closes() {
    show(in.window(TENS.grace(Duration.ofMillis(5))).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 1);
    bench.send("a", "2", 14);
    bench.send("a", "3", 9);
    assertThat(bench.out()).isEmpty();
    bench.send("a", "4", 15);
    assertThat(bench.out()).containsExactly("out a[0, 10)=2@9");
    bench.send("a", "5", 9);
    assertThat(bench.out()).isEmpty();
    assertThat(bench.counts().dropped).isOne();
  }

  @Test
  void late_messages_go_to_a_keyed_flow_of_their_own() {
    show(
        in.window(TENS)
            .late(
                late ->
                    late.count("late")
                        .changes()
                        .mapValues(String::valueOf)
                        .to("late-counts", TEXT, TEXT))
            .count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 10);
    bench.send("b", "2", 9);
    bench.send("b", "3", 8);
    assertThat(bench.out()).containsExactly("late-counts b=1@9", "late-counts b=2@8");
    assertThat(bench.counts().dropped).isZero();
    assertThat(job.describe()).contains("late:");
  }

  @Test
  void a_hopping_message_is_in_size_by_advance_windows_and_late_only_when_all_have_closed() {
    Windows.Aligned hops = Windows.hopping(Duration.ofMillis(20), Duration.ofMillis(10));
    show(
        in.window(hops)
            .late(late -> late.to("late", TEXT, TEXT))
            .reduce("all", TEXT, String::concat));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 15);
    bench.send("b", "-", 20);
    assertThat(bench.out()).containsExactly("out a[0, 20)=1@19");
    bench.send("a", "2", 19);
    assertThat(bench.out()).as("its second window is open").isEmpty();
    bench.send("a", "3", 9);
    assertThat(bench.out()).containsExactly("late a=3@9");
    bench.send("b", "-", 50);
    assertThat(bench.out())
        .containsExactly("out a[10, 30)=12@29", "out b[10, 30)=-@29", "out b[20, 40)=-@39");
  }

  @Test
  void an_advance_that_does_not_divide_the_size_leaves_no_gap() {
    show(in.window(Windows.hopping(Duration.ofMillis(10), Duration.ofMillis(4))).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 9);
    bench.send("b", "2", 100);
    assertThat(bench.out().stream().filter(line -> line.contains("a[")))
        .containsExactly("out a[0, 10)=1@9", "out a[4, 14)=1@13", "out a[8, 18)=1@17");
  }

  @Test
  void results_come_by_end_of_window_and_then_by_key_whatever_the_order_of_input() {
    show(in.window(TENS.grace(Duration.ofMillis(100))).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("b", "", 25);
    bench.send("c", "", 5);
    bench.send("bb", "", 5);
    bench.send("a", "", 25);
    bench.send("b", "", 5);
    bench.send("z", "", 200);
    assertThat(bench.out())
        .containsExactly(
            "out b[0, 10)=1@9",
            "out bb[0, 10)=1@9",
            "out c[0, 10)=1@9",
            "out a[20, 30)=1@29",
            "out b[20, 30)=1@29");
  }

  @Test
  void each_update_may_be_passed_on_instead_with_the_time_of_its_message() {
    show(
        in.window(TENS)
            .onEachUpdate()
            .aggregate("agg", TEXT, () -> "", (k, v, agg) -> v.equals("-") ? null : agg + v));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 1);
    bench.send("a", "2", 3);
    bench.send("a", "-", 2);
    bench.send("a", "3", 10);
    assertThat(bench.out())
        .containsExactly(
            "out a[0, 10)=1@1", "out a[0, 10)=12@3", "out a[0, 10)=null@2", "out a[10, 20)=3@10");
    bench.send("a", "4", 20);
    bench.out();
    assertThat(bench.entries(0)).as("a[20, 30)").hasSize(1);
  }

  @Test
  void a_window_whose_aggregate_was_deleted_has_no_result() {
    show(
        in.window(TENS)
            .aggregate("agg", TEXT, () -> "", (k, v, agg) -> v.equals("-") ? null : agg + v));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 1);
    bench.send("a", "-", 2);
    bench.send("b", "x", 10);
    assertThat(bench.out()).isEmpty();
    assertThat(bench.entries(0)).hasSize(1);
  }

  @Test
  void closed_windows_leave_store_and_changelog_in_the_transaction_of_their_results() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    for (int i = 0; i < 50; i++) {
      bench.send("k" + i, "", 5);
    }
    assertThat(bench.out()).isEmpty();
    assertThat(bench.entries(0)).hasSize(50).isEqualTo(bench.changelog(0));
    bench.send("z", "", 10);
    assertThat(bench.out()).hasSize(50);
    assertThat(bench.entries(0)).hasSize(1).isEqualTo(bench.changelog(0));
  }

  @Test
  void event_time_and_windows_outlive_a_process_and_its_disk() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 3);
    bench.send("b", "", 12);
    assertThat(bench.out()).containsExactly("out a[0, 10)=1@9");
    bench.restart();
    bench.send("a", "", 4);
    assertThat(bench.counts().dropped).as("late").isOne();
    bench.restartWithoutDisk();
    bench.send("a", "", 4);
    assertThat(bench.counts().dropped).as("late").isOne();
    bench.send("b", "", 20);
    assertThat(bench.out()).containsExactly("out b[10, 20)=1@19");
  }

  @Test
  void an_abort_opens_again_what_it_had_closed() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 3);
    bench.out();
    bench.send("a", "", 50);
    bench.abort();
    bench.send("a", "", 4);
    bench.send("b", "", 10);
    assertThat(bench.out()).containsExactly("out a[0, 10)=2@9");
  }

  @Test
  void a_dead_letter_moves_no_event_time_and_what_it_opened_is_forgotten() {
    show(
        in.window(TENS).aggregate("agg", TEXT, () -> "", (k, v, agg) -> agg + Integer.parseInt(v)));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 15);
    bench.send("a", "bad", 99);
    assertThat(bench.out()).containsExactly("dead a=bad@99");
    bench.send("a", "2", 16);
    bench.send("a", "3", 20);
    assertThat(bench.out()).containsExactly("out a[10, 20)=12@19");
  }

  @Test
  void a_result_that_cannot_be_processed_is_a_dead_letter_and_the_others_are_not() {
    in.window(TENS)
        .reduce("all", TEXT, String::concat)
        .map(result -> result.withKey(result.key().toString()))
        .mapValues(Integer::parseInt)
        .to("out", TEXT, Serdes.Integer());
    in.window(TENS).count("others").mapValues(String::valueOf).to("n", Windowed.serde(TEXT), TEXT);
    TaskBench bench = new TaskBench(job);
    bench.send("a", "1", 1);
    bench.send("b", "no number", 2);
    bench.send("c", "3", 3);
    bench.out();
    bench.send("z", "4", 10);
    List<String> out = new ArrayList<>(bench.out());
    out.removeIf(line -> line.startsWith("n "));
    assertThat(out).hasSize(3);
    assertThat(out.get(0)).startsWith("out a[0, 10)=");
    assertThat(out.get(1)).isEqualTo("dead b=no number@10");
    assertThat(out.get(2)).startsWith("out c[0, 10)=");
    assertThat(bench.entries(0)).as("only z's window").hasSize(1);
  }

  @Test
  void results_are_keyed_again_by_a_part_of_their_window() {
    in.window(TENS)
        .count("tens")
        .keyBy("by-key", (window, count) -> window.key() + window.startMs(), TEXT, Serdes.Long());
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 3);
    bench.send("b", "", 10);
    assertThat(bench.out()).hasSize(1).first().asString().startsWith("j-by-key-repartition a0=");
  }

  @Test
  void late_messages_may_have_windows_of_their_own_which_close_after_those_before() {
    Flow<String, String> late = lateOf(in);
    show(late.window(TENS).count("second"));
    TaskBench bench = new TaskBench(job);
    bench.send("a", "", 100);
    bench.send("a", "", 1);
    bench.send("a", "", 10);
    assertThat(bench.out()).containsExactly("out a[0, 10)=1@9");
  }

  private static Flow<String, String> lateOf(Flow<String, String> flow) {
    List<Flow<String, String>> late = new ArrayList<>();
    flow.window(TENS).late(late::add).count("first");
    return late.get(0);
  }

  @Test
  void many_windows_close_in_pieces_in_order_and_without_further_input() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    for (int i = 0; i < 10_500; i++) {
      bench.send(String.valueOf(100_000 + i), "", 5);
    }
    bench.send("z", "", 10);
    assertThat(bench.out()).hasSize(10_000);
    bench.send("100000", "", 5);
    assertThat(bench.counts().dropped).as("its window has closed, emitted or not").isOne();
    List<String> rest = bench.out();
    assertThat(rest).hasSize(500);
    assertThat(rest.get(0)).startsWith("out 110000[0, 10)=1");
    assertThat(bench.fireLeftovers()).isFalse();
  }

  @Test
  void what_is_left_to_close_closes_when_nothing_comes() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    for (int i = 0; i < 10_500; i++) {
      bench.send(String.valueOf(i), "", 5);
    }
    bench.send("z", "", 10);
    bench.out();
    bench.restartWithoutDisk();
    assertThat(bench.fireLeftovers()).isTrue();
    assertThat(bench.out()).hasSize(500);
    assertThat(bench.fireLeftovers()).isFalse();
  }

  @Test
  void a_message_without_a_key_or_of_an_impossible_time_is_a_dead_letter() {
    show(in.window(TENS).count("counts"));
    TaskBench bench = new TaskBench(job);
    bench.send(null, "x", 1);
    bench.send("a", "x", Long.MAX_VALUE);
    bench.send("a", "x", 1);
    bench.send("a", "x", 10);
    assertThat(bench.out())
        .containsExactly("dead null=x@1", "dead a=x@" + Long.MAX_VALUE, "out a[0, 10)=1@9");
  }

  @Test
  void open_windows_may_be_kept_in_memory() {
    in.window(TENS).inMemory().count("counts");
    in.window(Windows.session(Duration.ofMillis(10))).inMemory().count("sessions");
    assertThat(job.stores()).hasSize(2).noneMatch(store -> store.isPersistent());
  }

  @Test
  void windows_of_a_flow_whose_key_may_have_changed_are_refused() {
    Flow<String, String> changed = in.map(message -> message.withKey("other"));
    assertThatThrownBy(() -> changed.window(TENS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keyBy");
  }
}
