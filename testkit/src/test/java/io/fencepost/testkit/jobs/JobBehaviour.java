package io.fencepost.testkit.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobStartException;
import io.fencepost.streams.Message;
import io.fencepost.streams.StopReason;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.Table;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job does on any broker; each subclass starts one. Topics differ per test by prefix. */
abstract class JobBehaviour {
  /** Low in each broker, so that the members of a dead process can be missed soon. */
  static final String SHORTEST_SESSION = "group.min.session.timeout.ms";

  /** An eighth of it must do for a slow machine to abort what was interrupted. */
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

  private static final Duration SOON = Duration.ofSeconds(90);

  @TempDir Path stateDir;
  private int additional;

  abstract String bootstrapServers();

  @Test
  void each_key_is_accepted_once_by_two_workers_and_the_dead_letter_says_where_it_came_from()
      throws Exception {
    topics().create("a-payments", "a-charges", "a-repeats", "a-dead");
    Job job = dedup("a");
    int keys = 2_000;
    topics().send("a-payments", Topics.numbered(0, keys));
    try (JobHandle handle = job.start(config().with("num.stream.threads", 2))) {
      topics()
          .send("a-payments", Topics.numbered(keys / 2, keys + keys / 2)); // half are repetitions
      topics().send("a-payments", List.of(Map.entry("bad", "not a number")));
      await().atMost(SOON).until(() -> handle.counts().records() == 2L * keys + 1);
      assertThat(handle.stop(Duration.ofSeconds(10)).isClean()).isTrue();
      JobCounts counts = handle.counts();
      assertThat(counts.duplicates()).isEqualTo(keys / 2);
      assertThat(counts.deadLetters()).isEqualTo(1);
    }
    assertThat(Topics.keysOf(topics().read("a-charges")))
        .hasSize(keys + keys / 2)
        .doesNotHaveDuplicates();
    assertThat(topics().read("a-repeats")).hasSize(keys / 2);
    List<ConsumerRecord<String, String>> dead = topics().read("a-dead");
    assertThat(dead).hasSize(1);
    assertThat(dead.get(0).value()).isEqualTo("not a number");
    assertThat(header(dead.get(0), "fencepost.source.topic")).isEqualTo("a-payments");
    assertThat(header(dead.get(0), "fencepost.exception")).contains("NumberFormatException");
  }

  @Test
  void a_second_instance_shares_the_partitions_and_a_restart_restores_the_tail_only()
      throws Exception {
    topics().create("b-payments", "b-charges", "b-repeats", "b-dead");
    Job job = dedup("b");
    topics().send("b-payments", Topics.numbered(0, 1_000));
    try (JobHandle first = job.start(config())) {
      await().atMost(SOON).until(() -> first.counts().records() == 1_000);
      try (JobHandle second = job.start(config())) {
        await()
            .atMost(SOON)
            .until(() -> sendOneMore("b-payments") && second.counts().records() > 0);
      }
    }
    // The last of the additional ones may still wait for this start.
    try (JobHandle again = job.start(config())) {
      topics().send("b-payments", Topics.numbered(0, 1_000));
      await().atMost(SOON).until(() -> again.counts().duplicates() >= 1_000);
      assertThat(again.counts().restored()).isZero();
    }
    assertThat(Topics.keysOf(topics().read("b-charges")))
        .hasSize(1_000 + additional)
        .doesNotHaveDuplicates();
  }

  @Test
  void a_lost_state_directory_is_rebuilt_from_the_changelog(@TempDir Path other) throws Exception {
    topics().create("c-payments", "c-charges", "c-repeats", "c-dead");
    Job job = dedup("c");
    topics().send("c-payments", Topics.numbered(0, 500));
    try (JobHandle handle = job.start(config())) {
      await().atMost(SOON).until(() -> handle.counts().records() == 500);
    }
    try (JobHandle handle = job.start(config().with("state.dir", other))) {
      topics().send("c-payments", Topics.numbered(0, 500));
      await().atMost(SOON).until(() -> handle.counts().duplicates() == 500);
      assertThat(handle.counts().restored()).isEqualTo(500);
    }
    assertThat(Topics.keysOf(topics().read("c-charges"))).hasSize(500).doesNotHaveDuplicates();
  }

  @Test
  void a_process_killed_in_the_middle_of_a_transaction_loses_and_repeats_nothing()
      throws Exception {
    topics().create("d-payments", "d-charges", "d-repeats", "d-dead");
    int keys = 8_000;
    topics().send("d-payments", Topics.numbered(0, keys));
    Process child = JobProcess.start(bootstrapServers(), "d", stateDir);
    try {
      await().atMost(SOON).until(() -> topics().committedSum("d-dedup") > 100);
    } finally {
      child.destroyForcibly().onExit().join();
    }
    assertThat(topics().committedSum("d-dedup")).as("killed in the middle").isLessThan(keys);
    try (JobHandle handle = dedup("d").start(config())) {
      await()
          .atMost(SOON)
          .until(
              () -> {
                assertThat(handle.isRunning()).as("%s", handle).isTrue();
                return topics().committedSum("d-dedup") == keys;
              });
    }
    assertThat(Topics.keysOf(topics().read("d-charges"))).hasSize(keys).doesNotHaveDuplicates();
    assertThat(topics().read("d-repeats")).isEmpty();
  }

  @Test
  void at_least_once_loses_nothing_when_a_process_is_killed() throws Exception {
    topics().create("k-payments", "k-charges", "k-repeats", "k-dead");
    int keys = 8_000;
    topics().send("k-payments", Topics.numbered(0, keys));
    Process child =
        JobProcess.start(bootstrapServers(), "k", stateDir, "processing.guarantee=at_least_once");
    try {
      await().atMost(SOON).until(() -> topics().committedSum("k-dedup") > 100);
    } finally {
      child.destroyForcibly().onExit().join();
    }
    assertThat(topics().committedSum("k-dedup")).as("killed in the middle").isLessThan(keys);
    JobConfig config = config().with("processing.guarantee", "at_least_once");
    try (JobHandle handle = dedup("k").start(config)) {
      assertThat(handle.guarantee()).contains("at least once");
      await().atMost(SOON).until(() -> topics().committedSum("k-dedup") == keys);
    }
    assertThat(Topics.keysOf(topics().read("k-charges")).stream().distinct()).hasSize(keys);
  }

  @Test
  void without_a_dead_letter_topic_a_bad_record_stops_the_job_and_commits_nothing_of_it()
      throws Exception {
    topics().create("e-in", "e-out");
    Job job = Job.named("e");
    job.from("e-in", Serdes.String(), Serdes.String())
        .mapValues(text -> String.valueOf(Integer.parseInt(text)))
        .to("e-out", Serdes.String(), Serdes.String());
    topics().send("e-in", List.of(Map.entry("k", "1"), Map.entry("k", "x")));
    try (JobHandle handle = job.start(config())) {
      JobEnd end = handle.await(SOON);
      assertThat(end).isNotNull();
      assertThat(end.reason()).isEqualTo(StopReason.POISON_INPUT);
      assertThat(end.detail()).contains("e-in-").contains("@1");
    }
    assertThat(topics().read("e-out")).isEmpty();
  }

  @Test
  void state_in_memory_is_summed_up_and_comes_back_from_its_changelog() throws Exception {
    topics().create("g-in", "g-sums");
    topics().send("g-in", List.of(Map.entry("a", "1"), Map.entry("b", "5"), Map.entry("a", "2")));
    try (JobHandle handle = sums("g").start(config())) {
      await().atMost(SOON).until(() -> handle.counts().records() == 3);
    }
    try (JobHandle handle = sums("g").start(config())) {
      topics().send("g-in", List.of(Map.entry("a", "4"), Map.entry("b", "0")));
      await().atMost(SOON).until(() -> handle.counts().records() == 2);
      assertThat(handle.counts().restored()).isEqualTo(2);
    }
    assertThat(topics().read("g-sums").stream().map(sum -> sum.key() + sum.value()))
        .containsExactlyInAnyOrder("a1", "b5", "a3", "a7", "b0");
    assertThat(topics().replay("g-sums-sum-changelog").keySet()).containsExactly("a");
  }

  @Test
  void output_that_no_request_can_carry_makes_its_input_a_dead_letter_and_nothing_else()
      throws Exception {
    topics().create("h-in", "h-out", "h-dead");
    Job job = Job.named("h").deadLetters("h-dead");
    job.from("h-in", Serdes.String(), Serdes.String())
        .mapValues(text -> text.repeat(1_000))
        .to("h-out", Serdes.String(), Serdes.String());
    topics()
        .send("h-in", List.of(Map.entry("k", "x"), Map.entry("k", "x".repeat(2_000)), again("k")));
    try (JobHandle handle = job.start(config())) {
      await().atMost(SOON).until(() -> handle.counts().records() == 3);
      assertThat(handle.counts().aborts()).isZero();
    }
    assertThat(topics().read("h-out")).hasSize(2);
    assertThat(header(topics().read("h-dead").get(0), "fencepost.reason"))
        .contains("topic h-out takes 20000")
        .contains("producer.max.request.size=1048576");
  }

  @Test
  void output_that_the_broker_finds_too_large_ends_the_job_and_names_the_topic() throws Exception {
    topics().create("i-in");
    topics().create(Map.of("max.message.bytes", "1000"), "i-out");
    Job job = Job.named("i");
    job.from("i-in", Serdes.String(), Serdes.String())
        .to("i-out", Serdes.String(), Serdes.String());
    topics().send("i-in", List.of(Map.entry("k", "x".repeat(5_000))));
    try (JobHandle handle = job.start(config())) {
      JobEnd end = handle.await(SOON);
      assertThat(end).isNotNull();
      assertThat(end.reason()).isEqualTo(StopReason.REFUSED);
      assertThat(end.detail()).contains("topic i-out");
    }
    assertThat(topics().read("i-out")).isEmpty();
  }

  private static Map.Entry<String, String> again(String key) {
    return Map.entry(key, "again");
  }

  /** Running sums by key, in memory; a zero forgets the key. */
  private static Job sums(String name) {
    StoreSpec<String, Integer> store =
        StoreSpec.keyed("sum", Serdes.String(), Serdes.Integer()).inMemory();
    Job job = Job.named(name + "-sums");
    job.from(name + "-in", Serdes.String(), Serdes.String())
        .<String, String, String, Integer>process(
            store,
            (in, sums, out) -> {
              int value = Integer.parseInt(in.value());
              Integer before = sums.get(in.key());
              int sum = value + (before == null ? 0 : before);
              if (value == 0) {
                sums.delete(in.key());
                sum = 0;
              } else {
                sums.put(in.key(), sum);
              }
              out.emit(in.withValue(String.valueOf(sum)));
            })
        .to(name + "-sums", Serdes.String(), Serdes.String());
    return job;
  }

  @Test
  void a_job_that_cannot_run_says_so_before_it_starts() throws Exception {
    topics().create("f-payments");
    Job job = dedup("f");
    assertThatThrownBy(() -> job.start(config()))
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining("f-charges does not exist");
    topics().create("f-charges", "f-repeats", "f-dead");
    assertThatThrownBy(() -> job.start(config().with("transaction.timeout.ms", 1_000_000_000)))
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining("transaction.timeout.ms=1000000000")
        .hasMessageContaining("transaction.max.timeout.ms=");
  }

  @Test
  void settings_that_its_clients_refuse_together_are_refused_before_it_starts() throws Exception {
    topics().create("l-payments", "l-charges", "l-repeats", "l-dead");
    Job job = dedup("l");
    assertThatThrownBy(() -> job.start(config().with("producer.delivery.timeout.ms", 1)))
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining("delivery.timeout.ms");
    assertThatThrownBy(
            () -> job.start(config().with("producer.max.in.flight.requests.per.connection", 6)))
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining("max.in.flight.requests.per.connection");
  }

  @Test
  void code_that_a_stop_interrupts_makes_no_dead_letter_of_a_good_record() throws Exception {
    topics().create("m-in", "m-out", "m-dead");
    topics().send("m-in", List.of(Map.entry("k", "1"), Map.entry("k", "2"), Map.entry("k", "3")));
    CountDownLatch isBlocked = new CountDownLatch(1);
    try (JobHandle handle = blockedAt("2", isBlocked).start(config())) {
      assertThat(isBlocked.await(90, TimeUnit.SECONDS)).isTrue();
      JobEnd end = handle.stop(STOP_PATIENCE);
      assertThat(end.reason()).isEqualTo(StopReason.STOPPED);
      assertThat(end.left()).anyMatch(what -> what.contains("interrupted"));
    }
    try (JobHandle handle = blockedAt("none", isBlocked).start(config())) {
      await().atMost(SOON).until(() -> handle.counts().records() == 3);
    }
    assertThat(topics().read("m-out"))
        .extracting(ConsumerRecord::value)
        .containsExactly("1", "2", "3");
    assertThat(topics().read("m-dead")).isEmpty();
  }

  @Test
  void a_stop_that_interrupts_parallel_code_leaves_no_transaction_open() throws Exception {
    topics().create("e-p-in", "p-out");
    topics().send("e-p-in", Topics.numbered(0, 20));
    CountDownLatch isBlocked = new CountDownLatch(1);
    Job job = Job.named("p");
    job.from("e-p-in", Serdes.String(), Serdes.String())
        .mapValuesInParallel(
            4,
            value -> {
              if (Integer.parseInt(value) >= 10) {
                isBlocked.countDown();
                blockForEver();
              }
              return value;
            })
        .to("p-out", Serdes.String(), Serdes.String());
    JobConfig slices =
        config().with("consumer.max.poll.records", 10).with("commit.interval.ms", 5_000);
    try (JobHandle handle = job.start(slices)) {
      assertThat(isBlocked.await(90, TimeUnit.SECONDS)).isTrue();
      JobEnd end = handle.stop(STOP_PATIENCE);
      assertThat(end.left()).singleElement().asString().contains("interrupted; it is read again");
    }
  }

  private static void blockForEver() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Blocks at one value and wraps the interrupt, as code does that may throw no other. */
  private static Job blockedAt(String blocked, CountDownLatch isBlocked) {
    Job job = Job.named("m").deadLetters("m-dead");
    job.from("m-in", Serdes.String(), Serdes.String())
        .mapValues(
            value -> {
              if (value.equals(blocked)) {
                isBlocked.countDown();
                blockForEver();
              }
              return value;
            })
        .to("m-out", Serdes.String(), Serdes.String());
    return job;
  }

  @Test
  void a_job_whose_code_interrupts_its_thread_does_not_end_as_if_it_had_been_stopped()
      throws Exception {
    topics().create("n-in", "n-out");
    topics().send("n-in", List.of(Map.entry("k", "1")));
    Job job = Job.named("n");
    job.from("n-in", Serdes.String(), Serdes.String())
        .peek(message -> Thread.currentThread().interrupt())
        .to("n-out", Serdes.String(), Serdes.String());
    try (JobHandle handle = job.start(config())) {
      JobEnd end = handle.await(SOON);
      assertThat(end).isNotNull();
      assertThat(end.reason()).isEqualTo(StopReason.FAILED);
      assertThat(end.detail()).contains("interrupted");
    }
  }

  @Test
  void a_join_of_topics_of_different_sizes_is_refused_with_the_way_out() throws Exception {
    topics().create("e-orders", "j-customers", "j-out");
    Job job = Job.named("j-refused");
    Table<String, String> customers =
        job.table("j-customers", "customers", Serdes.String(), Serdes.String());
    job.from("e-orders", Serdes.String(), Serdes.String())
        .join(customers, (order, customer) -> order + " of " + customer)
        .to("j-out", Serdes.String(), Serdes.String());
    assertThatThrownBy(() -> job.start(config()))
        .isInstanceOf(JobStartException.class)
        .hasMessageContaining("e-orders=1")
        .hasMessageContaining("j-customers=4")
        .hasMessageContaining("keyBy(...)");
  }

  @Test
  void a_side_that_was_sent_to_new_keys_has_as_many_partitions_as_the_other() throws Exception {
    topics().create("e-sales", "k-customers", "k-out");
    Job job = Job.named("k");
    Table<String, String> customers =
        job.table("k-customers", "customers", Serdes.String(), Serdes.String());
    job.from("e-sales", Serdes.String(), Serdes.String())
        .keyBy("by-customer", sale -> sale.split(":", 2)[0], Serdes.String(), Serdes.String())
        .leftJoin(customers, (sale, customer) -> sale + " of " + customer)
        .to("k-out", Serdes.String(), Serdes.String());
    List<Map.Entry<String, String>> people = new ArrayList<>();
    List<Map.Entry<String, String>> sales = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      people.add(Map.entry("c" + i, "C" + i));
      sales.add(Map.entry("s" + i, "c" + i + ":1"));
    }
    topics().send("k-customers", people);
    topics().send("e-sales", sales);
    try (JobHandle handle = job.start(config())) {
      await().atMost(SOON).until(() -> topics().read("k-out").size() == 20);
      assertThat(topics().read("k-out"))
          .extracting(ConsumerRecord::value)
          .contains("c7:1 of C7")
          .allMatch(value -> value.matches("(c(\\d+)):1 of C\\2"));
      assertThat(handle.stop(Duration.ofSeconds(20)).isClean()).isTrue();
    }
    assertThat(topics().partitionCount("k-by-customer-repartition")).isEqualTo(4);
  }

  static Job dedup(String prefix) {
    return dedup(prefix, payment -> {});
  }

  static Job dedup(String prefix, Consumer<Message<String, String>> observer) {
    Job job = Job.named(prefix + "-dedup").deadLetters(prefix + "-dead");
    job.from(prefix + "-payments", Serdes.String(), Serdes.String())
        .peek(observer)
        .mapValues(Integer::parseInt)
        .deduplicate(
            "seen",
            Duration.ofDays(1),
            repeats -> repeats.to(prefix + "-repeats", Serdes.String(), Serdes.Integer()))
        .mapValues(String::valueOf)
        .to(prefix + "-charges", Serdes.String(), Serdes.String());
    return job;
  }

  final Topics topics() {
    return new Topics(bootstrapServers());
  }

  final JobConfig config() {
    return config(bootstrapServers(), stateDir);
  }

  /** Its members hear soon that others come and go. */
  static JobConfig config(String bootstrapServers, Path stateDir) {
    return JobConfig.of(
        Map.of(
            "bootstrap.servers",
            bootstrapServers,
            "state.dir",
            stateDir.toString(),
            "heartbeat.interval.ms",
            300));
  }

  private boolean sendOneMore(String topic) throws Exception {
    String key = "more-" + System.nanoTime();
    topics().send(topic, List.of(Map.entry(key, "7")));
    additional++;
    return true;
  }

  private static String header(ConsumerRecord<String, String> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }
}
