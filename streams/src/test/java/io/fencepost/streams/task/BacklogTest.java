package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final TopicPartition INPUT = new TopicPartition("in", 0);

  private final Backlog backlog = new Backlog(1);

  @Test
  void records_come_out_once_in_order_whatever_the_slices_are() {
    backlog.add(List.of(batch(1_000)));
    List<Long> offsets = new ArrayList<>();
    long nowMs = 0;
    for (Gateway.Batch slice = backlog.next(nowMs); slice != null; slice = backlog.next(nowMs)) {
      slice.records().forEach(record -> offsets.add(record.offset()));
      nowMs += offsets.size() % 50;
    }
    assertThat(offsets).hasSize(1_000).isSorted().doesNotHaveDuplicates();
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void slow_code_gets_one_record_at_a_time_and_fast_code_large_slices() {
    backlog.add(List.of(batch(20_000)));
    long nowMs = 0;
    int slice = sizeAt(nowMs);
    while (slice > 1) {
      nowMs += slice * 100L; // a tenth of a second each
      slice = sizeAt(nowMs);
    }
    for (int i = 0; i < 12; i++) {
      slice = sizeAt(nowMs += 1);
    }
    assertThat(slice).isGreaterThan(1_000);
  }

  @Test
  void the_partition_of_what_waits_is_known_for_the_consumer_stands_behind_it() {
    assertThat(backlog.holds(INPUT)).isFalse();
    backlog.add(List.of(batch(1_000)));
    assertThat(backlog.next(0)).isNotNull();
    assertThat(backlog.holds(INPUT)).isTrue();
    backlog.clear();
    assertThat(backlog.holds(INPUT)).isFalse();
    assertThat(backlog.next(1)).isNull();
  }

  private int sizeAt(long nowMs) {
    Gateway.Batch slice = backlog.next(nowMs);
    return slice == null ? 0 : slice.records().size();
  }

  private static Gateway.Batch batch(int size) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int offset = 0; offset < size; offset++) {
      records.add(new ConsumerRecord<>("in", 0, offset, new byte[0], new byte[0]));
    }
    return new Gateway.Batch(INPUT, records);
  }
}
