package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.Table;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class AggregationTest {
  private static final Serde<String> TEXT = Serdes.String();

  private final Job job = Job.named("j").deadLetters("dead");
  private final Flow<String, String> in = job.from("in", TEXT, TEXT);

  @Test
  void a_count_is_a_table_whose_changes_flow_on() {
    Table<String, Long> counts = in.count("per-key");
    counts.changes().mapValues(String::valueOf).to("out", TEXT, TEXT);
    assertThat(counts.store().changelogTopic("j")).isEqualTo("j-per-key-changelog");
    TaskBench bench = new TaskBench(job);
    bench.send("a", "x", 5);
    bench.send("b", "x", 6);
    bench.send("a", null, 7);
    assertThat(bench.out()).containsExactly("out a=1@5", "out b=1@6", "out a=2@7");
  }

  @Test
  void a_reduction_starts_with_the_first_value_and_refuses_a_message_without_one() {
    in.reduce("joined", TEXT, (a, b) -> a + b).changes().to("out", TEXT, TEXT);
    TaskBench bench = new TaskBench(job);
    bench.send("a", "x", 1);
    bench.send("a", null, 2);
    bench.send("a", "y", 3);
    assertThat(bench.out()).containsExactly("out a=x@1", "dead a=null@2", "out a=xy@3");
  }

  @Test
  void a_reduction_to_null_deletes_and_the_next_value_is_a_first_one() {
    in.reduce("joined", TEXT, (a, b) -> b.equals("-") ? null : a + b)
        .changes()
        .to("out", TEXT, TEXT);
    TaskBench bench = new TaskBench(job);
    bench.send("a", "x", 1);
    bench.send("a", "-", 2);
    assertThat(bench.out()).containsExactly("out a=x@1", "out a=null@2");
    assertThat(bench.entries(0)).isEmpty();
    assertThat(bench.changelog(0)).isEmpty();
    bench.send("a", "y", 3);
    assertThat(bench.out()).containsExactly("out a=y@3");
  }

  @Test
  void an_aggregate_sees_messages_without_a_value_and_deletes_by_null() {
    in.aggregate("seen", TEXT, () -> ">", (key, value, agg) -> value == null ? null : agg + value)
        .changes()
        .to("out", TEXT, TEXT);
    TaskBench bench = new TaskBench(job);
    bench.send("a", "x", 1);
    bench.send("a", "y", 2);
    bench.send("a", null, 3);
    assertThat(bench.out()).containsExactly("out a=>x@1", "out a=>xy@2", "out a=null@3");
    bench.send("a", null, 4);
    assertThat(bench.out()).as("nothing was there to delete").isEmpty();
    bench.send("a", "z", 5);
    assertThat(bench.out()).containsExactly("out a=>z@5");
  }

  @Test
  void a_message_without_a_key_is_a_dead_letter_of_each_aggregation() {
    in.count("counts");
    TaskBench bench = new TaskBench(job);
    bench.send(null, "x", 1);
    assertThat(bench.out()).containsExactly("dead null=x@1");
  }

  @Test
  void what_an_abort_took_back_is_not_counted() {
    in.count("counts").changes().mapValues(String::valueOf).to("out", TEXT, TEXT);
    TaskBench bench = new TaskBench(job);
    bench.send("a", "x", 1);
    bench.out();
    bench.send("a", "x", 2);
    bench.abort();
    bench.send("a", "x", 3);
    assertThat(bench.out()).containsExactly("out a=2@3");
    bench.restartWithoutDisk();
    bench.send("a", "x", 4);
    assertThat(bench.out()).containsExactly("out a=3@4");
  }

  @Test
  void the_store_may_be_one_in_memory() {
    StoreSpec<String, Long> counts = StoreSpec.keyed("counts", TEXT, Serdes.Long()).inMemory();
    StoreSpec<String, String> texts = StoreSpec.keyed("texts", TEXT, TEXT).inMemory();
    StoreSpec<String, String> longest = StoreSpec.keyed("longest", TEXT, TEXT).inMemory();
    assertThat(in.count(counts).store()).isSameAs(counts);
    assertThat(in.reduce(texts, String::concat).store()).isSameAs(texts);
    in.aggregate(longest, () -> "", (key, value, agg) -> agg + value);
    assertThat(job.stores()).isEqualTo(List.of(counts, texts, longest));
  }

  @Test
  void a_flow_whose_key_may_have_changed_is_refused() {
    Flow<String, String> changed = in.map(message -> message.withKey("other"));
    assertThatThrownBy(() -> changed.count("counts"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keyBy");
    StoreSpec<String, Long> counts = StoreSpec.keyed("counts", TEXT, Serdes.Long());
    assertThatThrownBy(() -> changed.count(counts))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keyBy");
  }
}
