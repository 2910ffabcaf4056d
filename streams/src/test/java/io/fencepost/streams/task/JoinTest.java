package io.fencepost.streams.task;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.Flow;
import io.fencepost.streams.Job;
import io.fencepost.streams.JobCounts;
import io.fencepost.streams.JoinWindow;
import io.fencepost.streams.Processed;
import io.fencepost.streams.Table;
import io.fencepost.streams.store.MemoryTable;
import io.fencepost.streams.test.MemoryClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Joins by example: records as {@code key=value@time}. */
class JoinTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final JoinWindow TEN = JoinWindow.of(Duration.ofMillis(10));

  private final Job job = Job.named("j").deadLetters("dead");
  private final FakeCluster cluster = new FakeCluster(1);
  private @Nullable MemoryTable stores;
  private @Nullable TaskLoop loop;
  private long nowMs;

  // ---- a flow with a table

  @Test
  void a_message_meets_the_row_as_it_was_at_its_time() {
    Table<String, String> rates = job.table("rates", "rates-store", TEXT, TEXT);
    from("sales").join(rates, (sale, rate) -> sale + "*" + rate).to("out", TEXT, TEXT);
    put("sales", "k=s1@5", "k=s2@10", "k=s3@20", "other=s4@20");
    put("rates", "k=r1@10", "k=r2@15");
    assertThat(run()).containsExactly("out k=s2*r1@10", "out k=s3*r2@20");
  }

  @Test
  void a_left_join_with_a_table_gives_null_for_what_is_missing_or_was_deleted() {
    Table<String, String> rates = job.table("rates", "rates-store", TEXT, TEXT);
    from("sales").leftJoin(rates, (sale, rate) -> sale + "*" + rate).to("out", TEXT, TEXT);
    put("sales", "k=s1@5", "k=s2@10", "k=s3@20");
    put("rates", "k=r1@10", "k=null@15");
    assertThat(run()).containsExactly("out k=s1*null@5", "out k=s2*r1@10", "out k=s3*null@20");
  }

  @Test
  void a_table_made_of_others_can_be_looked_up_without_a_store() {
    Table<String, String> rates = job.table("rates", "rates-store", TEXT, TEXT);
    Table<String, String> names = job.table("names", "names-store", TEXT, TEXT);
    Table<String, String> both =
        rates
            .filter((key, rate) -> !rate.equals("r0"))
            .mapValues(rate -> "<" + rate + ">")
            .outerJoin(names, (rate, name) -> rate + name);
    from("sales").join(both, (sale, row) -> sale + "*" + row).to("out", TEXT, TEXT);
    put("rates", "k=r1@1", "k=r0@10");
    put("names", "k=n1@5");
    put("sales", "k=s1@2", "k=s2@6", "k=s3@12");
    assertThat(run())
        .containsExactly("out k=s1*<r1>null@2", "out k=s2*<r1>n1@6", "out k=s3*nulln1@12");
    assertThatThrownBy(both::store)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keep(");
  }

  @Test
  void a_message_without_a_key_is_a_dead_letter() {
    Table<String, String> rates = job.table("rates", "rates-store", TEXT, TEXT);
    from("sales").leftJoin(rates, (sale, rate) -> sale).to("out", TEXT, TEXT);
    put("rates");
    put("sales", "null=s1@5");
    assertThat(run()).containsExactly("dead null=s1@5");
  }

  // ---- tables with tables

  @Test
  void a_delete_of_either_side_deletes_what_was_joined_and_nothing_else() {
    Table<String, String> left = job.table("a", "a-store", TEXT, TEXT);
    Table<String, String> right = job.table("b", "b-store", TEXT, TEXT);
    left.join(right, (a, b) -> a + b).toFlow().to("out", TEXT, TEXT);
    put("a", "k=a1@1", "k=null@3", "k=a2@4", "lonely=a3@5", "lonely=null@6");
    put("b", "k=b1@2", "k=null@7", "k=null@8", "nobody=null@9");
    assertThat(run())
        .containsExactly("out k=a1b1@2", "out k=null@3", "out k=a2b1@4", "out k=null@7");
  }

  @Test
  void a_row_that_is_filtered_out_is_deleted_once_and_only_if_it_was_there() {
    Table<String, String> rows = job.table("a", "a-store", TEXT, TEXT);
    rows.filter((key, row) -> row.startsWith("y")).changes().to("out", TEXT, TEXT);
    put("a", "k=n1@1", "k=y1@2", "k=n2@3", "k=n3@4", "k=null@5", "k=y2@6", "k=null@7");
    assertThat(run()).containsExactly("out k=y1@2", "out k=null@3", "out k=y2@6", "out k=null@7");
  }

  @Test
  void a_join_of_tables_of_one_origin_needs_a_store_and_then_is_right() {
    Table<String, String> rows = job.table("a", "a-store", TEXT, TEXT);
    Table<String, String> lengths =
        rows.mapValues(row -> String.valueOf(row.length())).keep("lengths", TEXT);
    assertThatThrownBy(() -> rows.join(lengths, (row, length) -> row + length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name a store");
    rows.join(lengths, (row, length) -> row + length, "joined", TEXT)
        .toFlow()
        .to("out", TEXT, TEXT);
    put("a", "k=x@1", "k=null@2", "k=null@3");
    assertThat(run()).contains("out k=x1@1").endsWith("out k=null@2");
    assertThat(run()).filteredOn(record -> record.contains("null")).hasSize(1);
  }

  // ---- flows with flows

  @Test
  void messages_meet_up_to_the_window_s_ends_once_and_with_the_later_time() {
    pairs(TEN.before(Duration.ofMillis(3)), "inner");
    put("l", "k=l1@100");
    put("r", "k=early@96", "k=first@97", "k=last@110", "k=over@111", "other=r@100");
    assertThat(run()).containsExactly("out k=l1first@100", "out k=l1last@110");
  }

  @Test
  void the_result_has_the_headers_of_the_message_that_came_second() {
    pairs(TEN, "inner");
    put("l", "k=l1@100");
    put("r", "k=r1@105");
    run();
    assertThat(cluster.committedOutput().get(0).headers()).extracting(Header::key).contains("r");
  }

  @Test
  void who_is_left_alone_comes_out_once_the_window_is_closed_and_not_before() {
    pairs(TEN.grace(Duration.ofMillis(5)), "outer");
    put("l", "k=l1@100", "x=tick@115");
    put("r");
    assertThat(run()).isEmpty();
    put("l", "k=l1@100", "x=tick@115", "x=tick@116");
    assertThat(run()).containsExactly("out k=l1null@100");
  }

  @Test
  void who_was_matched_is_never_put_out_alone() {
    pairs(TEN, "outer");
    put("l", "k=l1@100", "x=l2@500");
    put("r", "k=r1@101", "k=r2@130", "x=r3@500");
    assertThat(run()).containsExactly("out k=l1r1@101", "out k=nullr2@130", "out x=l2r3@500");
  }

  @Test
  void a_left_join_leaves_the_lonely_of_the_right_side_out() {
    pairs(TEN, "left");
    put("l", "k=l1@100", "x=tick@500");
    put("r", "k=r1@150");
    assertThat(run()).containsExactly("out k=l1null@100");
  }

  @Test
  void who_comes_too_late_goes_to_an_output_of_its_own() {
    Processed<String, String> joined = pairs(TEN.grace(Duration.ofMillis(5)), "inner");
    joined.side(JoinWindow.<String, String>late()).to("late", TEXT, TEXT);
    joined.side(JoinWindow.<String, String>lateRight()).to("late-right", TEXT, TEXT);
    put("l", "x=tick@100", "k=ok@85", "k=old@84");
    put("r", "k=r1@90", "x=tick@200", "k=r2@90");
    assertThat(run()).containsExactly("out k=okr1@90", "late k=old@84", "late-right k=r2@90");
    assertThat(counts().dropped()).isEqualTo(2);
  }

  @Test
  void with_event_time_all_state_of_a_join_goes() {
    pairs(TEN, "outer");
    List<String> left = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      left.add("k" + i % 7 + "=l" + i + "@" + (100 + i));
    }
    put("l", left.toArray(new String[0]));
    put("r", "k1=r1@200", "k2=r2@250", "k3=r3@399");
    run();
    int most = size();
    assertThat(most).as("what waits is kept, what is gone is not").isBetween(20, 150);
    left.add("z=last@10000");
    put("l", left.toArray(new String[0]));
    run();
    assertThat(size())
        .as("the last one, its two timers twice, the number of the next, event time")
        .isEqualTo(1 + 4 + 1 + 1);
  }

  @Test
  void who_waits_no_more_is_not_matched_though_its_timer_is_still_to_fire() {
    pairs(JoinWindow.of(Duration.ofSeconds(1)).after(Duration.ofMillis(10)), "outer");
    List<String> left = new ArrayList<>();
    for (int i = 0; i < 10_100; i++) {
      left.add("a" + i + "=l@100");
    }
    left.add("last-of-all=closed@100");
    left.add("tick=l@500");
    put("l", left.toArray(new String[0]));
    put("r", "tick=r@500", "last-of-all=open@110");
    cluster.pollLimit = 20_000;
    assertThat(run())
        .as("more timers than fire in one go")
        .contains("out last-of-all=closednull@100", "out tick=lr@500")
        .hasSize(10_100 + 2);
  }

  @Test
  void code_that_fails_for_who_is_alone_costs_that_result_and_no_other() {
    from("l")
        .leftJoin(
            from("r"),
            TEN,
            "pair",
            TEXT,
            TEXT,
            (left, right) -> {
              if (left.equals("bad")) {
                throw new IllegalStateException("bad");
              }
              return left + right;
            })
        .to("out", TEXT, TEXT);
    put("l", "k=bad@100", "k=good@100", "x=tick@200");
    put("r");
    assertThat(run()).containsExactlyInAnyOrder("dead k=null@111", "out k=goodnull@100");
  }

  // ---- definitions

  @Test
  void both_sides_must_be_keyed_and_of_one_job() {
    Flow<String, String> left = from("l");
    Flow<String, String> right = from("r");
    Flow<String, String> moved = right.map(message -> message.withKey("x"));
    Table<String, String> rows = job.table("rows", "rows-store", TEXT, TEXT);
    assertThatThrownBy(() -> left.join(moved, TEN, "pair", TEXT, TEXT, (a, b) -> a + b))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keyBy");
    assertThatThrownBy(() -> moved.join(right, TEN, "pair", TEXT, TEXT, (a, b) -> a + b))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keyBy");
    assertThatThrownBy(() -> moved.join(rows, (a, b) -> a + b))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keyBy");
    Job another = Job.named("another");
    Table<String, String> foreign = another.table("t", "t-store", TEXT, TEXT);
    assertThatThrownBy(() -> left.join(foreign, (a, b) -> a + b))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one job");
    assertThatThrownBy(() -> rows.join(foreign, (a, b) -> a + b))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one job");
    assertThatThrownBy(() -> JoinWindow.of(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- the harness

  @Test
  void keys_meet_by_their_bytes_whatever_the_serdes_of_the_sides_make_of_them() {
    Serde<String> loud =
        Serdes.serdeFrom(
            (topic, key) -> key.getBytes(StandardCharsets.UTF_8),
            (topic, bytes) -> new String(bytes, StandardCharsets.UTF_8).trim().toUpperCase(ROOT));
    Flow<String, String> left = from("l");
    Flow<String, String> right = job.from("r", loud, TEXT);
    left.outerJoin(right, TEN, "pair", TEXT, TEXT, (a, b) -> a + "/" + b).to("out", TEXT, TEXT);
    put("l", "k=l1@100", "z=tick@200");
    put("r", "k=r1@101", " k=r2@102", "z=tock@200");
    assertThat(run())
        .containsExactly("out K=l1/r1@101", "out K=null/r2@102", "out Z=tick/tock@200");
  }

  private Flow<String, String> from(String topic) {
    return job.from(topic, TEXT, TEXT);
  }

  private Processed<String, String> pairs(JoinWindow window, String kind) {
    Flow<String, String> left = from("l");
    Flow<String, String> right = from("r");
    Processed<String, String> joined =
        switch (kind) {
          case "left" -> left.leftJoin(right, window, "pair", TEXT, TEXT, (a, b) -> a + b);
          case "outer" -> left.outerJoin(right, window, "pair", TEXT, TEXT, (a, b) -> a + b);
          default -> left.join(right, window, "pair", TEXT, TEXT, (a, b) -> a + b);
        };
    joined.to("out", TEXT, TEXT);
    return joined;
  }

  /** The topic's whole content. */
  private void put(String topic, String... records) {
    List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
    for (String record : records) {
      String[] words = record.split("[=@]", -1);
      log.add(record(topic, log.size(), words[0], words[1], Long.parseLong(words[2])));
    }
    cluster.publish(new TopicPartition(topic, 0), log);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      String topic, long offset, String key, String value, long timeMs) {
    byte[] keyBytes = bytes(key);
    byte[] valueBytes = bytes(value);
    ProducerRecord<byte[], byte[]> marked = new ProducerRecord<>(topic, keyBytes, valueBytes);
    marked.headers().add(topic, new byte[0]);
    return new ConsumerRecord<>(
        topic,
        0,
        offset,
        timeMs,
        TimestampType.CREATE_TIME,
        0,
        0,
        keyBytes,
        valueBytes,
        marked.headers(),
        Optional.empty());
  }

  /** Works until everything is committed; all that was put out so far. */
  private List<String> run() {
    TaskLoop running = loop == null ? start() : loop;
    loop = running;
    for (int i = 0; i < 3_000 && !isAllCommitted(); i++) {
      assertThat(running.step(nowMs += 20)).as("%s", running.end()).isTrue();
    }
    assertThat(isAllCommitted()).isTrue();
    return cluster.committedOutput().stream().map(JoinTest::text).toList();
  }

  private JobCounts counts() {
    return loop == null ? JobCounts.ZERO : loop.counts();
  }

  private TaskLoop start() {
    JobPlan plan = new JobPlan(job, "j", 1 << 20);
    assertThat(plan.parts()).hasSize(1);
    MemoryTable opened = new MemoryTable(plan.parts().get(0).tableCount());
    stores = opened;
    MemoryClient clients = cluster.clients(job);
    return new TaskLoop(
        plan,
        new LoopSettings(1, 50, 1_000, Long.MAX_VALUE, 0, Long.MAX_VALUE, Long.MAX_VALUE),
        clients,
        clients.reader(),
        task -> opened,
        new CyclePropertyTest.Silence(),
        InstantSource.fixed(Instant.EPOCH),
        Lanes.NONE);
  }

  private boolean isAllCommitted() {
    return cluster.input.entrySet().stream()
        .allMatch(
            entry ->
                cluster.committedOffsets().getOrDefault(entry.getKey(), 0L)
                    == entry.getValue().size());
  }

  /** Entries of all tables. */
  private int size() {
    int[] count = {0};
    for (int table = 0; stores != null && table < 2; table++) {
      stores.scan(table, null, null, (key, value) -> ++count[0] > 0);
    }
    return count[0];
  }

  private static String text(ConsumerRecord<byte[], byte[]> output) {
    return output.topic()
        + " "
        + text(output.key())
        + "="
        + text(output.value())
        + "@"
        + output.timestamp();
  }

  private static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte @Nullable [] bytes(String text) {
    return text.equals("null") ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
