package io.fencepost.broker.log;

import static io.fencepost.broker.log.LogFixture.batch;
import static io.fencepost.broker.log.LogFixture.fill;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionLogTest {
  private final LogFixture fixture = new LogFixture();

  @Test
  void a_new_log_is_empty_and_begins_at_zero() {
    PartitionLog log = fixture.open();
    assertThat(log.startOffset()).isZero();
    assertThat(log.endOffset()).isZero();
    assertThat(log.durableEndOffset()).isZero();
    assertThat(log.read(0, 100, true, Long.MAX_VALUE).bytes().sizeBytes()).isZero();
    assertThat(log.offsetForTimestamp(0)).isNull();
    assertThat(log.maxTimestamp()).isNull();
    assertThat(log.newestSnapshot()).isNull();
  }

  @Test
  void an_append_below_the_end_is_a_bug_and_changes_nothing() {
    PartitionLog log = fixture.open();
    fill(log, 4);
    assertThatThrownBy(() -> log.append(batch(3, 1))).isInstanceOf(InvariantViolation.class);
    assertThat(log.endOffset()).isEqualTo(4);
  }

  @Test
  void a_full_disk_refuses_an_append_and_the_log_goes_on_once_there_is_room() {
    PartitionLog log = fixture.open();
    fill(log, 4);
    long size = log.sizeBytes();
    fixture.disk.fill(10);
    assertThatThrownBy(() -> log.append(batch(4, 2)))
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("full");
    assertThat(log.endOffset()).isEqualTo(4);
    assertThat(log.sizeBytes()).isEqualTo(size);
    assertThat(LogFixture.readAll(log, 0, 100)).hasSize(2);
    fixture.disk.free();
    log.append(batch(4, 2));
    assertThat(log.endOffset()).isEqualTo(6);
  }

  @Test
  void a_disk_that_fills_up_at_a_roll_refuses_the_append_and_the_old_segment_goes_on() {
    for (int room = 0; room < 400; room += 7) {
      LogFixture fresh = new LogFixture();
      PartitionLog log = fresh.open();
      log.onSnapshot(Content.of(new byte[100]));
      while (log.sizeBytes() + batch(log.endOffset(), 2).remaining() <= 1000) {
        log.append(batch(log.endOffset(), 2));
      }
      long end = log.endOffset();
      fresh.disk.fill(room);
      try {
        log.append(batch(end, 2));
      } catch (DiskException refused) {
        assertThat(log.endOffset()).isEqualTo(end);
      }
      fresh.disk.free();
      fill(log, end + 10);
      assertThat(LogFixture.readAll(log, 0, 300)).hasSize((int) (end + 10) / 2);
      fresh.disk.kill();
      assertThat(LogFixture.readAll(fresh.open(), 0, 300)).hasSize((int) (end + 10) / 2);
    }
  }

  @Test
  void after_a_failed_force_nothing_is_claimed_durable_and_no_write_is_taken() {
    PartitionLog log = fixture.open();
    fill(log, 4);
    log.force();
    fill(log, 8);
    fixture.disk.failNextForce();
    assertThatThrownBy(log::force)
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("orders-0")
        .hasMessageContaining("restart the broker");
    assertThat(log.durableEndOffset()).isEqualTo(4);
    assertThatThrownBy(log::force).isInstanceOf(DiskException.class);
    assertThatThrownBy(() -> log.append(batch(8, 1))).isInstanceOf(DiskException.class);
    assertThat(log.failure()).isNotNull();
    log.close(true);
    assertThat(fixture.open().endOffset()).isEqualTo(8);
  }

  @Test
  void a_force_covers_the_segments_that_were_closed_since_the_last_one() {
    PartitionLog log = fixture.open();
    fill(log, 100);
    assertThat(log.force()).isEqualTo(100);
    for (int i = 0; i < 20; i++) {
      fixture.disk.crash();
      log = fixture.open();
      assertThat(log.endOffset()).isEqualTo(100);
    }
  }

  @Test
  void a_ticket_covers_what_was_appended_before_it_and_survives_rolls_and_removals() {
    PartitionLog log = fixture.open();
    fill(log, 20);
    ForceTicket ticket = log.beginForce();
    fill(log, 60);
    log.advanceStart(50);
    ticket.run();
    assertThat(log.completeForce(ticket)).isEqualTo(20);
    assertThat(log.force()).isEqualTo(60);
  }

  @Test
  void a_ticket_that_a_truncation_overtook_does_not_raise_the_durable_end() {
    PartitionLog log = fixture.open();
    fill(log, 20);
    ForceTicket ticket = log.beginForce();
    ticket.run();
    log.truncateTo(10);
    fill(log, 30);
    assertThat(log.completeForce(ticket)).isZero();
    assertThat(log.force()).isEqualTo(30);
  }

  @Test
  void bytes_being_sent_outlive_the_removal_of_their_segment() {
    PartitionLog log = fixture.open();
    fill(log, 4);
    log.addAborted(new AbortedTxn(7, 0, 3, 4));
    fill(log, 100);
    Bytes sending = log.read(0, 200, true, Long.MAX_VALUE).bytes();
    byte[] before = content(sending);
    log.advanceStart(90);
    assertThat(fixture.disk.exists(fixture.path(0, ".log"))).isFalse();
    assertThat(content(sending)).isEqualTo(before);
    fixture.clock.advanceMs(59_000);
    log.applyRetention(0, 0);
    assertThat(content(sending)).isEqualTo(before);
    fixture.clock.advanceMs(2_000);
    log.applyRetention(0, 0);
    assertThatThrownBy(sending::toBuffer).isInstanceOf(DiskException.class);
    assertThat(fixture.disk.list(LogFixture.DIRECTORY))
        .as("its indexes, snapshot and aborted transactions are gone with it")
        .noneMatch(name -> name.startsWith(SegmentNames.name(0, "")));
  }

  @Test
  void bytes_being_sent_outlive_the_deletion_of_the_topic() {
    PartitionLog log = fixture.open();
    fill(log, 10);
    Bytes sending = log.read(0, 200, true, Long.MAX_VALUE).bytes();
    log.delete("partition.metadata");
    assertThat(fixture.disk.exists(LogFixture.DIRECTORY)).isFalse();
    assertThat(content(sending)).isNotEmpty();
    assertThatThrownBy(() -> log.append(batch(10, 1))).isInstanceOf(DiskException.class);
  }

  @Test
  void a_segment_is_closed_by_size() {
    PartitionLog log = fixture.open();
    List<Boolean> rolled = new ArrayList<>();
    while (!rolled.contains(true)) {
      rolled.add(log.append(batch(log.endOffset(), 2)));
    }
    assertThat(fixture.disk.exists(fixture.path(log.endOffset() - 2, ".log"))).isTrue();
    assertThat(fixture.disk.exists(fixture.path(0, ".index"))).isTrue();
    assertThat(fixture.disk.exists(fixture.path(0, ".timeindex"))).isTrue();
  }

  @Test
  void a_segment_is_closed_by_the_time_in_its_records() {
    fixture.config = LogConfig.defaults().withSegmentMs(1000);
    PartitionLog log = fixture.open();
    assertThat(log.append(batch(0, 1, 0, 5000))).isFalse();
    assertThat(log.append(batch(1, 1, 0, 6000))).isFalse();
    assertThat(log.append(batch(2, 1, 0, 6001))).isTrue();
    assertThat(log.append(batch(3, 1, 0, 5))).isFalse();
  }

  @Test
  void a_segment_without_timestamps_is_closed_by_the_clock() {
    fixture.config = LogConfig.defaults().withSegmentMs(1000);
    PartitionLog log = fixture.open();
    log.append(batch(0, 1, 0, -1));
    fixture.clock.advanceMs(1000);
    assertThat(log.append(batch(1, 1, 0, -1))).isFalse();
    fixture.clock.advanceMs(1);
    assertThat(log.append(batch(2, 1, 0, -1))).isTrue();
  }

  @Test
  void a_segment_is_closed_when_an_index_is_full_or_an_offset_too_far() {
    fixture.config = LogConfig.defaults().withIndex(0, 40);
    PartitionLog log = fixture.open();
    assertThat(log.append(batch(0, 1))).isFalse();
    assertThat(log.append(batch(1, 1))).isFalse();
    assertThat(log.append(batch(2, 1))).isFalse();
    assertThat(log.append(batch(3, 1))).isTrue();
    assertThat(log.append(batch(Integer.MAX_VALUE + 10L, 1))).isTrue();
    assertThat(LogFixture.readAll(log, 0, 10)).hasSize(5);
  }

  @Test
  void old_segments_go_by_age_and_the_active_one_is_closed_for_it() {
    fixture.config = LogFixture.SMALL.withRetention(10_000, -1);
    PartitionLog log = fixture.open();
    fill(log, 60);
    assertThat(log.applyRetention(11_000, 60)).isZero();
    assertThat(log.applyRetention(11_030, 60)).isPositive();
    assertThat(log.startOffset()).isPositive().isLessThan(60);
    assertThat(log.applyRetention(1_000_000, 59)).isPositive();
    assertThat(log.startOffset()).isLessThan(60);
    assertThat(log.applyRetention(1_000_000, 60)).isPositive();
    assertThat(log.startOffset()).isEqualTo(60);
    assertThat(log.endOffset()).isEqualTo(60);
    fixture.disk.crash();
    assertThat(fixture.open().startOffset()).isEqualTo(60);
  }

  @Test
  void old_segments_go_by_size_but_never_above_the_limit() {
    fixture.config = LogFixture.SMALL.withRetention(-1, 2500);
    PartitionLog log = fixture.open();
    fill(log, 100);
    assertThat(log.applyRetention(0, 30)).isPositive();
    assertThat(log.startOffset()).isLessThanOrEqualTo(30);
    log.applyRetention(0, 100);
    assertThat(log.sizeBytes()).isBetween(2500L, 3500L);
  }

  @Test
  void deleted_records_stay_deleted_after_a_power_failure() {
    PartitionLog log = fixture.open();
    fill(log, 100);
    log.force();
    assertThat(log.advanceStart(33)).isTrue();
    assertThat(log.advanceStart(33)).isFalse();
    fixture.disk.crash();
    log = fixture.open();
    assertThat(log.startOffset()).isEqualTo(33);
    assertThat(log.endOffset()).isEqualTo(100);
    assertThat(log.offsetForTimestamp(0).offset()).isEqualTo(33);
  }

  @Test
  void snapshots_are_written_at_rolls_and_at_a_clean_stop_and_go_with_their_segments() {
    PartitionLog log = fixture.open();
    PartitionLog first = log;
    log.onSnapshot(sink -> sink.accept(UTF_8.encode(Long.toString(first.endOffset()))));
    fill(log, 100);
    Snapshot newest = log.newestSnapshot();
    assertThat(newest.offset()).isPositive().isLessThan(100);
    assertThat(LogFixture.content(newest))
        .isEqualTo(Long.toString(newest.offset()).getBytes(UTF_8));
    log.close(true);
    log = fixture.open();
    assertThat(log.newestSnapshot().offset()).isEqualTo(100);
    assertThat(log.snapshotAtOrBefore(99).offset()).isEqualTo(newest.offset());
    log.advanceStart(90);
    assertThat(log.snapshotAtOrBefore(50)).isNull();
    log.dropSnapshot(100);
    assertThat(log.newestSnapshot().offset()).isEqualTo(newest.offset());
  }

  @Test
  void truncating_below_everything_begins_anew_at_that_offset() {
    PartitionLog log = fixture.open();
    fill(log, 50);
    log.advanceStart(40);
    log.truncateTo(5);
    assertThat(log.startOffset()).isEqualTo(5);
    assertThat(log.endOffset()).isEqualTo(5);
    log.append(batch(5, 2));
    log.force();
    fixture.disk.crash();
    log = fixture.open();
    assertThat(log.startOffset()).isEqualTo(5);
    assertThat(log.endOffset()).isEqualTo(7);
  }

  @Test
  void the_aborted_lookup_costs_the_same_after_a_long_history() {
    fixture.config = LogFixture.SMALL.withSegmentBytes(1_000_000);
    PartitionLog log = fixture.open();
    for (int i = 0; i < 20_000; i++) {
      log.append(batch(log.endOffset(), 1));
      log.addAborted(new AbortedTxn(7, log.endOffset() - 1, log.endOffset() - 1, log.endOffset()));
    }
    long began = System.nanoTime();
    for (int i = 0; i < 1000; i++) {
      assertThat(log.aborted(19_990, 19_992)).hasSize(2);
    }
    // A walk over 20,000 entries would take a hundred times this bound.
    assertThat(System.nanoTime() - began).isLessThan(2_000_000_000L);
  }

  private static byte[] content(Bytes bytes) {
    ByteBuffer buffer = bytes.toBuffer();
    byte[] content = new byte[buffer.remaining()];
    buffer.get(content);
    return content;
  }
}
