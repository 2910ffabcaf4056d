package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.store.TaskId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final TopicPartition INPUT = new TopicPartition("in", 0);

  /** Topics whose name begins with t are tables. */
  private final Backlog backlog =
      new Backlog(
          1,
          partition ->
              new Backlog.Place(
                  new TaskId("part", partition.partition()),
                  partition.topic().startsWith("t") ? 0 : 1));

  @Test
  void records_come_out_once_in_order_whatever_the_slices_are() {
    backlog.add(List.of(batch(1_000)));
    List<Long> offsets = new ArrayList<>();
    for (List<Gateway.Batch> slice = next(); !slice.isEmpty(); slice = next()) {
      slice.forEach(run -> run.records().forEach(record -> offsets.add(record.offset())));
      backlog.took(offsets.size() % 50);
    }
    assertThat(offsets).hasSize(1_000).isSorted().doesNotHaveDuplicates();
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void slow_code_gets_one_record_at_a_time_and_fast_code_large_slices() {
    backlog.add(List.of(batch(20_000)));
    int slice = sizeOfNext();
    while (slice > 1) {
      backlog.took(slice * 100L); // a tenth of a second each
      slice = sizeOfNext();
    }
    for (int i = 0; i < 12; i++) {
      backlog.took(1);
      slice = sizeOfNext();
    }
    assertThat(slice).isGreaterThan(1_000);
  }

  @Test
  void the_partition_of_what_waits_is_known_for_the_consumer_stands_behind_it() {
    assertThat(backlog.holds(INPUT)).isFalse();
    backlog.add(List.of(batch(1_000)));
    assertThat(next()).isNotEmpty();
    assertThat(backlog.holds(INPUT)).isTrue();
    assertThat(backlog.firstOffset(INPUT)).isEqualTo(64);
    backlog.clear();
    assertThat(backlog.holds(INPUT)).isFalse();
    assertThat(next()).isEmpty();
  }

  @Test
  void the_oldest_is_first_then_the_table_s_then_the_first_topic_s() {
    backlog.add(List.of(records("s", 0, 10, 20), records("r", 0, 10, 30)));
    backlog.add(List.of(records("t", 0, 10, 20, 5)));
    assertThat(all()).containsExactly("t@0", "r@0", "s@0", "t@1", "t@2", "s@1", "r@1");
  }

  @Test
  void what_may_go_on_together_comes_in_one_run() {
    backlog.add(List.of(records("r", 0, 1, 2, 3, 9), records("s", 0, 4, 5, 6, 7)));
    List<Gateway.Batch> slice = next();
    assertThat(slice).extracting(run -> run.records().size()).containsExactly(3, 4);
    assertThat(backlog.firstOffset(new TopicPartition("r", 0))).isEqualTo(3);
    assertThat(backlog.holds(new TopicPartition("s", 0)))
        .as("the slice ends where the group may have to wait for s")
        .isFalse();
  }

  @Test
  void groups_do_not_take_turns_and_one_that_waits_holds_no_other() {
    backlog.add(List.of(records("r", 0, 5), records("r", 1, 1)));
    TaskId ready = backlog.nextGroup(partition -> partition.partition() == 1);
    assertThat(ready).isEqualTo(new TaskId("part", 1));
    assertThat(backlog.nextGroup(partition -> false)).isNull();
    backlog.remove(List.of(new TopicPartition("r", 0)));
    assertThat(all()).containsExactly("r@0");
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void any_partitions_are_merged_as_by_sorting_where_each_is_in_order_of_time() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      Map<String, Long> expected = new LinkedHashMap<>();
      List<Gateway.Batch> later = new ArrayList<>();
      for (String topic : List.of("t1", "s1", "s2", "t2")) {
        long[] times = random.longs(random.nextInt(200), 0, 100).sorted().toArray();
        for (int offset = 0; offset < times.length; offset++) {
          expected.put(topic + "@" + offset, times[offset]);
        }
        int cut = times.length == 0 ? 0 : random.nextInt(times.length);
        add(backlog, topic, times, 0, cut);
        if (cut == 0) {
          add(backlog, topic, times, cut, times.length);
        } else {
          later.addAll(batches(topic, times, cut, times.length));
        }
      }
      backlog.add(later);
      List<String> sorted = new ArrayList<>(expected.keySet());
      sorted.sort(
          Comparator.<String>comparingLong(expected::get)
              .thenComparing(name -> name.startsWith("t") ? 0 : 1)
              .thenComparing(name -> name.substring(0, 2)));
      assertThat(all()).as("seed %d", seed).isEqualTo(sorted);
    }
  }

  private static void add(Backlog backlog, String topic, long[] times, int from, int to) {
    backlog.add(batches(topic, times, from, to));
  }

  private static List<Gateway.Batch> batches(String topic, long[] times, int from, int to) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int offset = from; offset < to; offset++) {
      records.add(record(topic, 0, offset, times[offset]));
    }
    return records.isEmpty()
        ? List.of()
        : List.of(new Gateway.Batch(new TopicPartition(topic, 0), records));
  }

  /** As topic@offset. */
  private List<String> all() {
    List<String> all = new ArrayList<>();
    for (List<Gateway.Batch> slice = next(); !slice.isEmpty(); slice = next()) {
      for (Gateway.Batch run : slice) {
        run.records().forEach(record -> all.add(record.topic() + "@" + record.offset()));
      }
    }
    return all;
  }

  private List<Gateway.Batch> next() {
    TaskId group = backlog.nextGroup(partition -> true);
    return group == null ? List.of() : backlog.next(group);
  }

  private int sizeOfNext() {
    return next().stream().mapToInt(run -> run.records().size()).sum();
  }

  private static Gateway.Batch batch(int size) {
    return records("in", 0, new long[size]);
  }

  private static Gateway.Batch records(String topic, int partition, long... times) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int offset = 0; offset < times.length; offset++) {
      records.add(record(topic, partition, offset, times[offset]));
    }
    return new Gateway.Batch(new TopicPartition(topic, partition), records);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      String topic, int partition, int offset, long timeMs) {
    return new ConsumerRecord<>(
        topic,
        partition,
        offset,
        timeMs,
        TimestampType.CREATE_TIME,
        0,
        0,
        new byte[0],
        new byte[0],
        new ProducerRecord<>(topic, new byte[0]).headers(),
        Optional.empty());
  }
}
