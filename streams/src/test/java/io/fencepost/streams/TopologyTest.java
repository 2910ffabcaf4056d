package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.task.DeadLetter;
import io.fencepost.streams.test.JobEndedException;
import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.TestRecord;
import io.fencepost.streams.test.TestStore;
import io.fencepost.streams.test.TestTopic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How flows part, meet and share state. */
class TopologyTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final StoreSpec<String, String> LEFT = StoreSpec.keyed("left", TEXT, TEXT);
  private static final StoreSpec<String, String> RIGHT = StoreSpec.keyed("right", TEXT, TEXT);
  private static final SideOutput<String, Long> LENGTHS = SideOutput.named("lengths");
  private static final SideOutput<String, String> EMPTY = SideOutput.named("empty");

  private final Job job = Job.named("j").deadLetters("dead");

  private static List<String> values(JobTest test, String topic) {
    return test.topic(topic, TEXT, TEXT).committed().stream()
        .map(record -> String.valueOf(record.value()))
        .toList();
  }

  @Test
  void a_pattern_leaves_out_what_the_job_writes_for_itself() {
    Job own = Job.named("payments").deadLetters("payments-dead");
    own.from(Pattern.compile("payments.*"), TEXT, TEXT)
        .mapValues(
            value -> {
              if (value.equals("bad")) {
                throw new IllegalArgumentException(value);
              }
              return value;
            })
        .deduplicate("seen", Duration.ofDays(1))
        .to("charges", TEXT, TEXT);
    try (JobTest test = JobTest.of(own).partitions(1)) {
      test.topic("payments-in", TEXT, TEXT).send("1", "good").send("2", "bad");
      test.run();
      assertThat(values(test, "charges")).containsExactly("good");
      assertThat(test.deadLetters()).hasSize(1);
      assertThat(test.committedOffsets()).containsOnlyKeys("payments-in-0");
    }
  }

  @Test
  void dead_letters_do_not_go_to_a_topic_that_is_read() {
    Job circular = Job.named("circular").deadLetters("in");
    circular.from("in", TEXT, TEXT).to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(circular)) {
      assertThatThrownBy(test::run)
          .isInstanceOf(JobStartException.class)
          .hasMessageContaining("reads its dead-letter topic in");
    }
  }

  @Test
  void a_processor_that_tasks_would_share_is_refused() {
    Pairing shared = new Pairing(LEFT, RIGHT);
    Flow<String, String> in = job.from("in", TEXT, TEXT);
    assertThatThrownBy(() -> in.process("pair", () -> shared, LEFT, RIGHT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operator pair gives the same processor twice");
  }

  @Test
  void a_branch_takes_what_meets_its_condition_and_passes_on_all_else() {
    job.from("in", TEXT, TEXT)
        .branch((key, value) -> value.startsWith("a"), it -> it.to("a", TEXT, TEXT))
        .branch((key, value) -> value.endsWith("z"), it -> it.to("z", TEXT, TEXT))
        .to("rest", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("k", "az").send("k", "bz").send("k", "c").send("k", "a");
      test.run();
      assertThat(values(test, "a")).containsExactly("az", "a");
      assertThat(values(test, "z")).containsExactly("bz");
      assertThat(values(test, "rest")).containsExactly("c");
    }
  }

  @Test
  void a_branch_keeps_the_key_so_state_may_follow_on_both_sides() {
    job.from("in", TEXT, TEXT)
        .branch((key, value) -> value.equals("l"), it -> it.toTable("left", TEXT))
        .toTable("right", TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("1", "l").send("2", "r");
      test.run();
      assertThat(test.store(LEFT).all()).containsOnlyKeys("1");
      assertThat(test.store(RIGHT).all()).containsOnlyKeys("2");
    }
  }

  @Test
  void two_paths_into_a_stateful_operator_are_one_instance_of_it() {
    List<Processor<String, String, String, String>> made = new ArrayList<>();
    Flow<String, String> in = job.from("in", TEXT, TEXT);
    in.filter((key, value) -> true)
        .merge(in.mapValues(value -> value + "!"))
        .<String, String>process("last", () -> remembered(made, new Last()), LEFT)
        .to("out", TEXT, TEXT);
    made.clear(); // one is made to be looked at
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("k", "1").send("k", "2");
      test.run();
      assertThat(values(test, "out")).containsExactly("null,1", "1,1!", "1!,2", "2,2!");
      assertThat(made).as("one task, one instance").hasSize(1);
    }
  }

  private static <T> T remembered(List<? super T> all, T one) {
    all.add(one);
    return one;
  }

  /** Emits the value before and the one at hand. */
  private static final class Last implements Processor<String, String, String, String> {
    private @Nullable ProcessorContext<String, String> context;

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    @Override
    public void process(Message<String, String> input) {
      ProcessorContext<String, String> opened = context;
      if (opened != null) {
        Store<String, String> store = opened.store(LEFT);
        String before = store.get(input.key());
        store.put(input.key(), input.value());
        opened.emit(input.withValue(before + "," + input.value()));
      }
    }
  }

  /** Keeps its side's value and pairs it with that of the other side, of the same key. */
  private static final class Pairing implements Processor<String, String, String, String> {
    private final StoreSpec<String, String> own;
    private final StoreSpec<String, String> other;
    private @Nullable ProcessorContext<String, String> context;

    Pairing(StoreSpec<String, String> own, StoreSpec<String, String> other) {
      this.own = own;
      this.other = other;
    }

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    @Override
    public void process(Message<String, String> input) {
      ProcessorContext<String, String> opened = context;
      if (opened != null) {
        opened.store(own).put(input.key(), input.value());
        String partner = opened.store(other).get(input.key());
        if (input.value().equals("fail")) {
          throw new IllegalStateException("told to fail");
        }
        if (partner != null) {
          opened.emit(input.withValue(input.value() + "&" + partner));
        }
      }
    }
  }

  private void pair() {
    job.from("l", TEXT, TEXT)
        .<String, String>process("pair-l", () -> new Pairing(LEFT, RIGHT), LEFT, RIGHT)
        .to("out", TEXT, TEXT);
    job.from("r", TEXT, TEXT)
        .<String, String>process("pair-r", () -> new Pairing(RIGHT, LEFT), RIGHT, LEFT)
        .to("out", TEXT, TEXT);
  }

  @Test
  void two_operators_share_their_stores_partition_by_partition() {
    pair();
    try (JobTest test = JobTest.of(job).partitions(3)) {
      TestTopic<String, String> left = test.topic("l", TEXT, TEXT);
      TestTopic<String, String> right = test.topic("r", TEXT, TEXT);
      for (int i = 0; i < 9; i++) {
        left.send("k" + i, "l" + i);
      }
      test.run();
      test.loseState().restart();
      for (int i = 0; i < 9; i++) {
        right.send("k" + i, "r" + i);
      }
      test.abortNext().run();
      assertThat(values(test, "out"))
          .containsExactlyInAnyOrder(
              "r0&l0", "r1&l1", "r2&l2", "r3&l3", "r4&l4", "r5&l5", "r6&l6", "r7&l7", "r8&l8");
      assertThat(test.store(LEFT).entries()).hasSize(9);
      assertThat(test.store(RIGHT).entries()).hasSize(9);
    }
  }

  @Test
  void what_a_failing_input_wrote_to_any_of_its_stores_is_undone() {
    pair();
    try (JobTest test = JobTest.of(job)) {
      test.topic("l", TEXT, TEXT).send("k", "l1").send("k", "fail");
      test.run();
      test.topic("r", TEXT, TEXT).send("k", "r1");
      test.run();
      assertThat(values(test, "out")).containsExactly("r1&l1");
      assertThat(test.store(LEFT).all()).containsEntry("k", "l1");
      assertThat(test.deadLetters()).hasSize(1);
    }
  }

  @Test
  void topics_that_share_state_must_have_equally_many_partitions() {
    pair();
    try (JobTest test = JobTest.of(job).partitions("l", 2).partitions("r", 3)) {
      assertThatThrownBy(test::run)
          .isInstanceOf(JobStartException.class)
          .hasMessageContaining("{l=2, r=3}")
          .hasMessageContaining("keyBy");
    }
  }

  /** Lengths and empty values go aside, all else on. */
  private static final class Sorter implements Processor<String, String, String, String> {
    private @Nullable ProcessorContext<String, String> context;

    @Override
    public void open(ProcessorContext<String, String> opened) {
      context = opened;
    }

    @Override
    public void process(Message<String, String> input) {
      ProcessorContext<String, String> opened = context;
      if (opened == null) {
        return;
      }
      if (input.value().isEmpty()) {
        opened.emit(EMPTY, input);
        return;
      }
      opened.emit(LENGTHS, input.withValue((long) input.value().length()));
      opened.emit(input);
      if (input.value().equals("bad")) {
        throw new IllegalStateException("after its outputs");
      }
    }
  }

  @Test
  void side_outputs_have_types_of_their_own_and_vanish_with_their_input() {
    Processed<String, String> sorted =
        job.from("in", TEXT, TEXT).<String, String>process("sorter", Sorter::new, LENGTHS, EMPTY);
    sorted.to("out", TEXT, TEXT);
    sorted.side(LENGTHS).to("lengths", TEXT, Serdes.Long());
    sorted.side(EMPTY).to("empty", TEXT, TEXT);
    assertThatThrownBy(() -> sorted.side(SideOutput.<String, String>named("other")))
        .hasMessageContaining("was not given the side output other");
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("k", "abc").send("k", "bad").send("k", "");
      test.run();
      assertThat(values(test, "out")).containsExactly("abc");
      assertThat(test.topic("lengths", TEXT, Serdes.Long()).committed())
          .extracting(TestRecord::value)
          .containsExactly(3L);
      assertThat(values(test, "empty")).containsExactly("");
      assertThat(test.deadLetters())
          .singleElement()
          .satisfies(
              dead -> assertThat(dead.header(DeadLetter.EXCEPTION)).contains("after its outputs"));
    }
  }

  @Test
  void a_side_output_without_a_follower_is_dropped() {
    job.from("in", TEXT, TEXT)
        .<String, String>process("sorter", Sorter::new, LENGTHS, EMPTY)
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("k", "abc").send("k", "");
      test.run();
      assertThat(values(test, "out")).containsExactly("abc");
      assertThat(test.deadLetters()).isEmpty();
    }
  }

  @Test
  void a_pattern_reads_topics_that_appear_while_the_job_runs_but_none_that_is_read_by_name() {
    job.from(Pattern.compile("logs-.*"), TEXT, TEXT).toTable("left", TEXT);
    job.from("logs-special", TEXT, TEXT).to("special", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("logs-a", TEXT, TEXT).send("1", "a");
      test.topic("logs-special", TEXT, TEXT).send("2", "s");
      test.run();
      assertThat(test.store(LEFT).all()).containsOnlyKeys("1");
      test.topic("logs-b", TEXT, TEXT).send("3", "b");
      test.run();
      assertThat(test.store(LEFT).all()).containsOnlyKeys("1", "3");
      assertThat(values(test, "special")).containsExactly("s");
      test.loseState().crash();
      test.topic("logs-c", TEXT, TEXT).send("4", "c");
      test.topic("logs-a", TEXT, TEXT).send("1", "a2");
      test.run();
      assertThat(test.store(LEFT).all()).containsOnlyKeys("1", "3", "4").containsEntry("1", "a2");
      assertThat(test.counts().aborts()).isZero();
    }
  }

  @Test
  void a_pattern_with_state_needs_a_first_topic_at_the_start() {
    job.from(Pattern.compile("logs-.*"), TEXT, TEXT).toTable("left", TEXT);
    try (JobTest test = JobTest.of(job)) {
      assertThatThrownBy(test::run)
          .isInstanceOf(JobStartException.class)
          .hasMessageContaining("Create a first topic");
    }
  }

  @Test
  void input_that_gets_more_partitions_than_there_is_state_for_ends_the_job_with_what_to_do() {
    job.from("in", TEXT, TEXT).toTable("left", TEXT);
    job.from(Pattern.compile("more-.*"), TEXT, TEXT).to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      test.topic("in", TEXT, TEXT).send("1", "a");
      test.run();
      test.partitions("more-a", 3).topic("more-a", TEXT, TEXT).send("2", "b");
      test.run();
      assertThat(values(test, "out")).as("no state, no limit").containsExactly("b");
      test.grow("in", 2);
      assertThatThrownBy(test::run)
          .isInstanceOf(JobEndedException.class)
          .hasMessageContaining("topic in has got partition 1, and the job keeps state for 1");
      assertThatThrownBy(test::run)
          .isInstanceOf(JobStartException.class)
          .hasMessageContaining("j-left-changelog");
    }
  }

  @Test
  void parts_of_one_job_have_partition_counts_of_their_own() {
    job.from("small", TEXT, TEXT).toTable("left", TEXT).changes().to("out", TEXT, TEXT);
    job.from("large", TEXT, TEXT).toTable("right", TEXT).changes().to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job).partitions("small", 2).partitions("large", 5)) {
      for (int i = 0; i < 40; i++) {
        test.topic("small", TEXT, TEXT).send("k" + i, "s");
        test.topic("large", TEXT, TEXT).send("k" + i, "l");
      }
      test.run();
      test.loseState().restart().run();
      assertThat(test.store(LEFT).entries())
          .hasSize(40)
          .extracting(TestStore.Entry::partition)
          .containsOnly(0, 1);
      assertThat(test.store(RIGHT).entries())
          .hasSize(40)
          .extracting(TestStore.Entry::partition)
          .containsOnly(0, 1, 2, 3, 4);
      assertThat(values(test, "out")).hasSize(80);
    }
  }

  @Test
  void a_table_keeps_the_latest_value_and_passes_each_change_on() {
    job.table("in", "left", TEXT, TEXT).changes().to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job)) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      in.send("a", "1").send("b", "1").send("a", "2").send("b", null).send("c", null);
      in.send(null, "no key");
      test.run();
      assertThat(test.store(LEFT).all()).containsOnlyKeys("a").containsEntry("a", "2");
      assertThat(values(test, "out")).containsExactly("1", "1", "2", "null", "null");
      assertThat(test.deadLetters()).hasSize(1);
      test.loseState().restart().run();
      assertThat(test.store(LEFT).all()).containsOnlyKeys("a");
    }
  }

  @Test
  void a_store_in_memory_is_back_after_a_restart_beside_one_on_disk() {
    Job mixed = Job.named("mixed");
    StoreSpec<String, String> memory = StoreSpec.keyed("memory", TEXT, TEXT).inMemory();
    mixed
        .from("l", TEXT, TEXT)
        .<String, String>process("l", () -> new Pairing(memory, RIGHT), memory, RIGHT)
        .to("out", TEXT, TEXT);
    mixed
        .from("r", TEXT, TEXT)
        .<String, String>process("r", () -> new Pairing(RIGHT, memory), memory, RIGHT)
        .to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(mixed)) {
      test.topic("l", TEXT, TEXT).send("k", "1");
      test.topic("r", TEXT, TEXT).send("k", "2");
      test.run();
      long restoredBefore = test.counts().restored();
      test.restart();
      test.topic("r", TEXT, TEXT).send("k", "3");
      test.run();
      assertThat(values(test, "out")).endsWith("3&1");
      assertThat(test.counts().restored() - restoredBefore).as("only what memory lost").isOne();
    }
  }
}
