package io.fencepost.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.CompactionConfig;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a partition is compacted, and how far. */
class CleanerTest {
  private static final int BACKOFF_MS = 100;
  private final ReplicaFixture fixture = new ReplicaFixture(FlushPolicy.GROUP);
  private final List<String> notices = new ArrayList<>();

  private void configure(CompactionConfig compaction) {
    fixture.config = fixture.config.withCleanup(true, false, compaction);
    fixture.gate.configure(fixture.config).run();
  }

  private void start() {
    new Cleaner(
            fixture.replicas,
            fixture.clock,
            fixture.scheduler,
            new Cleaner.Settings(BACKOFF_MS, 1 << 20),
            notices::add)
        .start();
  }

  private void put(String key, String value) {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    ByteBuffer batch =
        BatchWriter.at(0)
            .add(fixture.clock.wallMillis(), key.getBytes(StandardCharsets.UTF_8), bytes)
            .build();
    List<AppendResult> results = fixture.send(batch);
    fixture.settle();
    assertThat(results).extracting(AppendResult::error).containsExactly(WireError.NONE);
  }

  private void put(int count, int keys) {
    for (int i = 0; i < count; i++) {
      put("key " + i % keys, "value " + i);
    }
  }

  private List<String> records() {
    List<String> found = new ArrayList<>();
    long at = fixture.gate.logStartOffset();
    BatchView view = new BatchView();
    while (at < fixture.gate.highWatermark()) {
      ByteBuffer bytes = fixture.gate.read(at, 1 << 20);
      for (int p = bytes.position(); p < bytes.limit(); p += view.sizeBytes()) {
        view.wrap(bytes, p);
        at = view.nextOffset();
        RecordIterator records = RecordIterator.of(view);
        while (!view.isControl() && records.next()) {
          ByteBuffer value = records.record().value();
          found.add(
              StandardCharsets.UTF_8.decode(records.record().key())
                  + "="
                  + (value == null ? "gone" : StandardCharsets.UTF_8.decode(value)));
        }
      }
    }
    return found;
  }

  private boolean isStarted;

  /** The cleaner gets its turn; it is started by the first sleep, so that tests write in peace. */
  private void sleep() {
    if (!isStarted) {
      isStarted = true;
      start();
    }
    fixture.scheduler.runFor(2 * BACKOFF_MS);
  }

  @Test
  void only_the_newest_of_each_key_stays_and_the_active_segment_is_not_touched() {
    configure(CompactionConfig.defaults());
    put(100, 3);
    long end = fixture.gate.logEndOffset();
    long size = fixture.gate.sizeBytes();
    sleep();
    assertThat(fixture.gate.sizeBytes()).isLessThan(size / 2);
    assertThat(fixture.gate.logEndOffset()).isEqualTo(end);
    List<String> left = records();
    assertThat(left).contains("key 0=value 99", "key 2=value 98", "key 1=value 97");
    assertThat(left).doesNotContain("key 0=value 0").doesNotHaveDuplicates();
    fixture.killAndOpen();
    assertThat(records()).isEqualTo(left);
  }

  @Test
  void nothing_is_compacted_below_the_dirty_ratio_or_within_the_lag() {
    configure(new CompactionConfig(0.9, 0, Long.MAX_VALUE, 0));
    put(100, 100);
    sleep();
    long size = fixture.gate.sizeBytes();
    put(60, 3);
    sleep();
    assertThat(fixture.gate.sizeBytes()).as("share of the new below 0.9").isGreaterThan(size);
    int before = records().size();
    fixture.config =
        fixture.config.withCleanup(true, false, new CompactionConfig(0, 10_000, 20_000, 0));
    fixture.gate.configure(fixture.config).run();
    sleep();
    assertThat(records()).as("younger than min.compaction.lag.ms").hasSize(before);
    fixture.scheduler.runFor(11_000);
    assertThat(records()).hasSizeLessThan(before);
  }

  @Test
  void whatever_the_ratio_a_record_is_compacted_after_the_longest_lag() {
    configure(new CompactionConfig(1, 0, 5_000, 0));
    put(100, 3);
    sleep();
    assertThat(records()).hasSize(100);
    fixture.scheduler.runFor(6_000);
    assertThat(records()).hasSizeLessThan(60);
  }

  @Test
  void a_tombstone_goes_once_its_retention_has_passed_and_not_before() {
    configure(new CompactionConfig(0, 0, Long.MAX_VALUE, 5_000));
    put("gone soon", "value");
    put("gone soon", null);
    put(60, 3);
    sleep();
    assertThat(records()).contains("gone soon=gone").doesNotContain("gone soon=value");
    put(60, 3);
    sleep();
    assertThat(records()).contains("gone soon=gone");
    fixture.scheduler.runFor(5_000);
    put(60, 3);
    sleep();
    assertThat(records()).doesNotContain("gone soon=gone");
  }

  @Test
  void a_marker_outlives_its_data_until_its_retention_has_passed() {
    configure(new CompactionConfig(0, 0, Long.MAX_VALUE, 5_000));
    fixture.sendInTransaction(9, 0, 0, 1);
    fixture.mark(9, 1, true);
    fixture.sendInTransaction(9, 1, 0, 1);
    fixture.mark(9, 2, true);
    long newest = fixture.gate.logEndOffset() - 1;
    put("value-0", "newer than theirs");
    put("key-0", "newer than theirs");
    put(60, 3);
    sleep();
    put(60, 3);
    sleep();
    assertThat(markerOffsets()).as("readers may be amid of it").containsExactly(1L, newest);
    fixture.scheduler.runFor(5_000);
    put(60, 3);
    sleep();
    assertThat(markerOffsets())
        .as("of a producer that is remembered, the last one stays")
        .containsExactly(newest);
  }

  private List<Long> markerOffsets() {
    List<Long> offsets = new ArrayList<>();
    BatchView view = new BatchView();
    for (long at = 0; at < fixture.gate.highWatermark(); at = view.nextOffset()) {
      view.wrap(fixture.gate.read(at, 1), 0);
      if (view.isControl()) {
        offsets.add(view.baseOffset());
      }
    }
    return offsets;
  }

  @Test
  void nothing_above_an_open_transaction_is_touched_and_an_aborted_one_vanishes() {
    configure(new CompactionConfig(0, 0, Long.MAX_VALUE, 1_000));
    fixture.sendInTransaction(9, 0, 0, 3);
    fixture.settle();
    put(100, 3);
    sleep();
    assertThat(records()).hasSize(103);
    fixture.mark(9, 1, false);
    fixture.settle();
    put(30, 3);
    sleep();
    assertThat(records()).hasSizeLessThan(60).noneMatch(record -> record.startsWith("value"));
    assertThat(fixture.fetch(0, Isolation.COMMITTED).aborted()).isEmpty();
    assertThat(fixture.gate.lastStableOffset()).isEqualTo(fixture.gate.logEndOffset());
  }

  @Test
  void no_snapshot_that_is_left_waits_for_a_marker_that_went() {
    configure(new CompactionConfig(0, 0, Long.MAX_VALUE, 0));
    fixture.sendInTransaction(9, 0, 0, 3);
    fixture.settle();
    put(100, 100);
    fixture.mark(9, 1, false);
    fixture.settle();
    fixture.clock.advanceMs(fixture.config.producerIdExpirationMs());
    fixture.replicas.expireProducers();
    for (int i = 0; i < 4; i++) {
      put("late " + i, "value");
      put(40, 40);
      sleep();
    }
    fixture.replicas.close(true);
    fixture.scheduler.clear();
    for (int left = snapshots().size(); left >= 0; left--) {
      fixture.open();
      assertThat(fixture.gate.lastStableOffset())
          .as("%d snapshots", left)
          .isEqualTo(fixture.gate.logEndOffset());
      fixture.disk.kill();
      List<String> names = snapshots();
      if (!names.isEmpty()) {
        fixture.disk.delete("orders-0/" + names.get(names.size() - 1));
      }
    }
    fixture.open();
    assertThat(markerOffsets())
        .as("the producer is forgotten, so nobody needs its last one")
        .isEmpty();
  }

  private List<String> snapshots() {
    return fixture.disk.list("orders-0").stream()
        .filter(name -> name.endsWith(".snapshot"))
        .toList();
  }

  @Test
  void without_forces_by_writers_the_cleaner_forces_what_it_relies_on() {
    ReplicaFixture os = new ReplicaFixture(FlushPolicy.OS);
    os.config = os.config.withCleanup(true, false, CompactionConfig.defaults());
    os.gate.configure(os.config).run();
    new Cleaner(
            os.replicas, os.clock, os.scheduler, new Cleaner.Settings(10, 1 << 20), notices::add)
        .start();
    for (int i = 0; i < 100; i++) {
      os.send(ReplicaFixture.plain(2));
    }
    long size = os.gate.sizeBytes();
    os.scheduler.runFor(30);
    assertThat(os.gate.sizeBytes()).isLessThan(size / 2);
    long end = os.gate.logEndOffset();
    os.crashAndOpen();
    assertThat(os.gate.logEndOffset()).isEqualTo(end);
  }

  @Test
  void a_damaged_segment_is_reported_left_alone_and_harms_no_other_partition() {
    configure(CompactionConfig.defaults());
    PartitionGate other =
        fixture.replicas.open(
            new io.fencepost.broker.wire.TopicPartition("other", 0),
            new io.fencepost.broker.wire.Uuid(3, 4),
            0,
            fixture.config);
    put(100, 3);
    for (int i = 0; i < 200; i++) {
      other.append(AppendRequest.of(ReplicaFixture.plain(1), 1_000), result -> {}).run();
    }
    fixture.settle();
    fixture.disk.corrupt("orders-0/00000000000000000000.log", 65);
    long size = fixture.gate.sizeBytes();
    long otherSize = other.sizeBytes();
    sleep();
    sleep();
    assertThat(fixture.gate.sizeBytes()).isEqualTo(size);
    assertThat(other.sizeBytes()).isLessThan(otherSize / 2);
    assertThat(notices).hasSize(1);
    assertThat(notices.get(0)).contains("orders-0", "00000000000000000000.log", "byte 0");
  }

  @Test
  void an_internal_log_is_compacted_only_as_far_as_its_owner_says() {
    configure(new CompactionConfig(0, 0, Long.MAX_VALUE, 0));
    fixture.gate.boundCompaction(() -> 40);
    put(100, 3);
    sleep();
    List<String> left = records();
    assertThat(left).contains("key 1=value 40", "key 2=value 41", "key 0=value 42");
    assertThat(left).hasSizeBetween(63, 80);
    assertThat(fixture.clock.wallMillis()).isGreaterThan(SimClock.DEFAULT_START_MS);
  }
}
