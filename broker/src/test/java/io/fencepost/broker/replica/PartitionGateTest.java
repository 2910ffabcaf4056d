package io.fencepost.broker.replica;

import static io.fencepost.broker.replica.ReplicaFixture.idempotent;
import static io.fencepost.broker.replica.ReplicaFixture.plain;
import static io.fencepost.broker.replica.ReplicaFixture.transactional;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.AbortedTxn;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionGateTest {
  private final ReplicaFixture group = new ReplicaFixture(FlushPolicy.GROUP);
  private final ReplicaFixture os = new ReplicaFixture(FlushPolicy.OS);

  private static WireError errorOf(List<AppendResult> results) {
    assertThat(results).hasSize(1);
    return results.get(0).error();
  }

  private static long offsetOf(List<AppendResult> results) {
    assertThat(results).hasSize(1);
    assertThat(results.get(0).error()).as("%s", results).isEqualTo(WireError.NONE);
    return results.get(0).baseOffset();
  }

  @Test
  void l6_many_appends_share_one_force_and_are_answered_after_it() {
    group.send(plain(1));
    group.settle();
    long forces = group.disk.forceCount();
    List<List<AppendResult>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(group.send(plain(1)));
    }
    assertThat(answers).allSatisfy(answer -> assertThat(answer).isEmpty());
    assertThat(group.gate.highWatermark()).isEqualTo(1);
    group.settle();
    assertThat(answers).allSatisfy(answer -> assertThat(errorOf(answer)).isEqualTo(WireError.NONE));
    assertThat(group.gate.highWatermark()).isEqualTo(21);
    // The first began a force at once; the others shared the next one.
    assertThat(group.disk.forceCount() - forces).isLessThanOrEqualTo(2);
  }

  @Test
  void with_flush_os_an_append_is_answered_at_once() {
    assertThat(offsetOf(os.send(plain(3)))).isZero();
    assertThat(offsetOf(os.send(plain(1), 1, null))).isEqualTo(3);
    assertThat(offsetOf(os.send(plain(1), 0, null))).isEqualTo(4);
    assertThat(os.gate.highWatermark()).isEqualTo(5);
  }

  @Test
  void a_duplicate_waits_until_the_original_is_committed() {
    List<AppendResult> first = group.send(idempotent(7, 0, 0, 2));
    List<AppendResult> retry = group.send(idempotent(7, 0, 0, 2));
    assertThat(retry).isEmpty();
    group.settle();
    assertThat(offsetOf(first)).isZero();
    assertThat(offsetOf(retry)).isZero();
    assertThat(group.gate.logEndOffset()).isEqualTo(2);
  }

  @Test
  void a_failed_force_loses_nothing_acknowledged_and_later_appends_work() {
    group.send(idempotent(7, 0, 0, 2));
    group.settle();
    List<AppendResult> doubtful = group.send(idempotent(7, 0, 2, 2));
    group.disk.failNextForce();
    group.settle();
    assertThat(errorOf(doubtful)).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(group.gate.highWatermark()).isEqualTo(2);
    List<AppendResult> retry = group.send(idempotent(7, 0, 2, 2));
    group.settle();
    assertThat(offsetOf(retry)).isEqualTo(2);
    group.crashAndOpen();
    assertThat(group.gate.logEndOffset()).isEqualTo(4);
  }

  @Test
  void a_full_disk_refuses_changes_no_state_and_recovers() {
    os.send(idempotent(7, 0, 0, 1));
    os.disk.fill(0);
    assertThat(errorOf(os.send(idempotent(7, 0, 1, 1)))).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    assertThat(errorOf(os.mark(7, 1, false))).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
    os.disk.free();
    assertThat(offsetOf(os.send(idempotent(7, 0, 1, 1)))).isEqualTo(1);
  }

  @Test
  void a_directory_that_became_read_only_refuses_writes_serves_reads_and_needs_no_restart() {
    for (ReplicaFixture fixture : List.of(group, os)) {
      fixture.send(idempotent(7, 0, 0, 2));
      fixture.settle();
      fixture.disk.readOnly(true);
      List<AppendResult> refused = fixture.send(idempotent(7, 0, 2, 2));
      fixture.settle();
      fixture.replicas.repair();
      assertThat(errorOf(refused)).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
      assertThat(errorOf(fixture.mark(7, 1, true))).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
      assertThat(fixture.gate.deleteRecords(1).error()).isEqualTo(WireError.KAFKA_STORAGE_ERROR);
      assertThat(fixture.fetch(0, Isolation.COMMITTED).records().sizeBytes()).isPositive();
      assertThat(fixture.gate.logStartOffset()).isZero();
      fixture.disk.readOnly(false);
      List<AppendResult> again = fixture.send(idempotent(7, 0, 2, 2));
      fixture.settle();
      assertThat(offsetOf(again)).isEqualTo(2);
    }
  }

  @Test
  void a_damaged_batch_is_told_to_its_reader_and_to_the_operator_once_and_hurts_nobody_else() {
    List<String> notices = new ArrayList<>();
    os.replicas.close(true);
    os.replicas =
        new Replicas(
            os.disk, ReplicaWorld.alone(os.clock, os.scheduler, notices::add, Meters.NONE));
    os.gate = os.replicas.open(ReplicaFixture.ORDERS, ReplicaFixture.TOPIC_ID, 0, os.config);
    PartitionGate other =
        os.replicas.open(
            new io.fencepost.broker.wire.TopicPartition("other", 0),
            new io.fencepost.broker.wire.Uuid(3, 4),
            0,
            os.config);
    other.append(AppendRequest.of(plain(1), 1_000), result -> {}).run();
    int bytes = plain(1).remaining();
    for (int i = 0; i < 4; i++) {
      os.send(plain(1));
    }
    os.disk.corrupt("orders-0/00000000000000000000.log", 2 * bytes + 16);
    assertThat(os.fetch(2, Isolation.COMMITTED).error()).isEqualTo(WireError.CORRUPT_MESSAGE);
    assertThat(os.fetch(2, Isolation.COMMITTED).error()).isEqualTo(WireError.CORRUPT_MESSAGE);
    assertThat(os.fetch(0, Isolation.COMMITTED).error()).isEqualTo(WireError.NONE);
    assertThat(notices).hasSize(1);
    assertThat(notices.get(0))
        .contains("orders-0", "offset 2", "00000000000000000000.log", "byte " + 2 * bytes);
    FetchRead elsewhere = new FetchRead(-1, 0, 1 << 20, true, Isolation.COMMITTED);
    assertThat(other.fetch(elsewhere).error()).isEqualTo(WireError.NONE);
    assertThat(offsetOf(os.send(plain(1)))).as("writes go on").isEqualTo(4);
  }

  @Test
  void old_segments_go_by_size_whatever_the_flush_policy_but_none_above_an_open_transaction() {
    for (ReplicaFixture fixture : List.of(group, os)) {
      fixture.config =
          fixture.config.withLog(LogConfig.defaults().withSegmentBytes(500).withRetention(-1, 900));
      fixture.gate.configure(fixture.config).run();
      for (int i = 0; i < 20; i++) {
        fixture.send(plain(1));
        fixture.settle();
      }
      fixture.sendInTransaction(1, 0, 0, 1);
      long first = fixture.gate.logEndOffset() - 1;
      for (int i = 0; i < 40; i++) {
        fixture.send(plain(1));
        fixture.settle();
      }
      fixture.replicas.applyRetention();
      assertThat(fixture.gate.logStartOffset()).isPositive().isLessThanOrEqualTo(first);
      fixture.mark(1, 1, true);
      fixture.settle();
      fixture.replicas.applyRetention();
      assertThat(fixture.gate.logStartOffset()).isGreaterThan(first);
      assertThat(fixture.gate.sizeBytes()).isLessThan(1500);
    }
  }

  @Test
  void a_topic_that_is_compacted_and_deleted_does_both_and_one_only_compacted_keeps_old_segments() {
    os.config =
        os.config
            .withLog(LogConfig.defaults().withSegmentBytes(500).withRetention(1_000, -1))
            .withCleanup(true, false, os.config.compaction());
    os.gate.configure(os.config).run();
    for (int i = 0; i < 40; i++) {
      os.send(plain(1));
    }
    os.clock.advanceMs(5_000);
    os.replicas.applyRetention();
    assertThat(os.gate.logStartOffset()).isZero();
    os.gate.configure(os.config.withCleanup(true, true, os.config.compaction())).run();
    os.replicas.applyRetention();
    assertThat(os.gate.logStartOffset()).isEqualTo(40);
  }

  @Test
  void l5_aborted_transactions_are_listed_by_first_offset_for_read_committed_only() {
    os.sendInTransaction(1, 0, 0, 2);
    os.sendInTransaction(2, 0, 0, 2);
    os.sendInTransaction(3, 0, 0, 2);
    os.mark(2, 1, false);
    os.mark(3, 1, true);
    FetchResult blocked = os.fetch(0, Isolation.COMMITTED);
    assertThat(blocked.records().sizeBytes()).isZero();
    assertThat(blocked.lastStableOffset()).isZero();
    assertThat(blocked.highWatermark()).isEqualTo(8);
    os.mark(1, 1, false);
    FetchResult open = os.fetch(0, Isolation.COMMITTED);
    assertThat(open.lastStableOffset()).isEqualTo(9);
    assertThat(open.aborted()).extracting(AbortedTxn::producerId).containsExactly(1L, 2L);
    assertThat(open.aborted()).extracting(AbortedTxn::firstOffset).containsExactly(0L, 2L);
    assertThat(os.fetch(3, Isolation.COMMITTED).aborted())
        .as("from inside a batch")
        .extracting(AbortedTxn::producerId)
        .containsExactly(1L, 2L);
    assertThat(os.fetch(8, Isolation.COMMITTED).aborted())
        .as("the marker of 1 is at 8")
        .extracting(AbortedTxn::producerId)
        .containsExactly(1L);
    assertThat(os.fetch(0, Isolation.HIGH_WATERMARK).aborted()).isNull();
  }

  @Test
  void l3_with_group_flush_the_lso_passes_a_marker_only_when_it_is_on_disk() {
    group.sendInTransaction(1, 0, 0, 1);
    group.settle();
    group.mark(1, 1, true);
    assertThat(group.gate.lastStableOffset()).isZero();
    group.settle();
    assertThat(group.gate.lastStableOffset()).isEqualTo(2);
  }

  @Test
  void the_epoch_is_checked_before_the_guard() {
    os.sendInTransaction(1, 0, 0, 1);
    os.mark(1, 1, false);
    assertThat(errorOf(os.send(transactional(1, 0, 1, 1))))
        .isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    assertThat(errorOf(os.send(transactional(1, 1, 0, 1)))).isEqualTo(WireError.INVALID_TXN_STATE);
  }

  @Test
  void a_marker_between_admission_and_append_keeps_the_batch_out() {
    ProducedBatch batch = new ProducedBatch(1, (short) 0, 0, 0, true);
    TxnGuard guard = os.gate.guardFor(batch, true);
    List<AppendResult> marker = new ArrayList<>();
    os.gate.appendMarker(new MarkerRequest(1, (short) 0, false, 0, 1), marker::add).run();
    assertThat(errorOf(os.send(transactional(1, 0, 0, 1), -1, guard)))
        .isEqualTo(WireError.INVALID_TXN_STATE);
    assertThat(os.gate.lastStableOffset()).isEqualTo(1);
  }

  @Test
  void commit_listeners_run_before_the_reply() {
    List<String> order = new ArrayList<>();
    group.gate.addListener(hw -> order.add("committed " + hw));
    group.gate.appendInternal(plain(2), result -> order.add("reply " + result.baseOffset())).run();
    group.gate.watch(new FetchWatch(Isolation.HIGH_WATERMARK, 0, () -> order.add("reader")));
    group.settle();
    assertThat(order).containsExactly("committed 2", "reply 0", "reader");
    assertThat(new BatchView().wrap(group.gate.read(0, 1000), 0).nextOffset()).isEqualTo(2);
    assertThat(group.gate.read(2, 1000).remaining()).isZero();
  }

  @Test
  void an_append_that_cannot_be_made_durable_in_time_is_answered_as_timed_out() {
    List<AppendResult> results = new ArrayList<>();
    group.gate.append(AppendRequest.of(plain(1), 0), results::add).run();
    // Force and timer are both due: whichever runs first decides, and there is one answer.
    group.settle();
    assertThat(results).hasSize(1);
    assertThat(results.get(0).error()).isIn(WireError.NONE, WireError.REQUEST_TIMED_OUT);
  }

  @Test
  void coordinators_wait_for_a_slow_disk_until_they_know() {
    Scheduler slow =
        new Scheduler() {
          @Override
          public void run(Runnable task) {
            group.scheduler.after(300_000, task);
          }

          @Override
          public Timer after(long delayMs, Runnable task) {
            return group.scheduler.after(delayMs, task);
          }
        };
    group.replicas.close(true);
    PartitionGate gate =
        new Replicas(group.disk, group.clock, slow)
            .open(ReplicaFixture.ORDERS, ReplicaFixture.TOPIC_ID, 0, group.config);
    List<AppendResult> results = new ArrayList<>();
    gate.appendInternal(plain(1), results::add).run();
    gate.appendMarker(new MarkerRequest(1, (short) 1, true, 0, 2), results::add).run();
    group.scheduler.runFor(290_000);
    assertThat(results).as("the fate of both is open").isEmpty();
    group.scheduler.runFor(600_000);
    assertThat(results).extracting(AppendResult::baseOffset).containsExactly(0L, 1L);
  }

  @Test
  void what_a_producer_may_not_send_is_refused_and_nothing_is_appended() {
    ByteBuffer moved = plain(1);
    moved.putLong(moved.position(), 5);
    assertThat(errorOf(os.send(moved))).isEqualTo(WireError.INVALID_RECORD);
    ByteBuffer two = ByteBuffer.allocate(1000).put(plain(1)).put(plain(1)).flip();
    assertThat(errorOf(os.send(two))).isEqualTo(WireError.INVALID_RECORD);
    assertThat(errorOf(os.send(ByteBuffer.allocate(0)))).isEqualTo(WireError.INVALID_RECORD);
    ByteBuffer old = plain(1);
    old.put(old.position() + 16, (byte) 1);
    assertThat(errorOf(os.send(old))).isEqualTo(WireError.INVALID_RECORD);
    ByteBuffer damaged = plain(1);
    damaged.put(damaged.limit() - 1, (byte) 99);
    assertThat(errorOf(os.send(damaged))).isEqualTo(WireError.CORRUPT_MESSAGE);
    ByteBuffer control =
        BatchWriter.at(0).control().add(SimClock.DEFAULT_START_MS, new byte[4], null).build();
    assertThat(errorOf(os.send(control))).isEqualTo(WireError.INVALID_RECORD);
    assertThat(errorOf(os.send(idempotent(7, 0, -1, 1)))).isEqualTo(WireError.INVALID_RECORD);
    assertThat(errorOf(os.send(idempotent(7, -1, 0, 1)))).isEqualTo(WireError.INVALID_RECORD);
    ByteBuffer future =
        BatchWriter.at(0).add(SimClock.DEFAULT_START_MS + 3_700_000, null, null).build();
    assertThat(errorOf(os.send(future))).isEqualTo(WireError.INVALID_TIMESTAMP);
    ByteBuffer big =
        BatchWriter.at(0).add(SimClock.DEFAULT_START_MS, null, new byte[1_048_600]).build();
    assertThat(errorOf(os.send(big))).isEqualTo(WireError.MESSAGE_TOO_LARGE);
    assertThat(os.gate.logEndOffset()).isZero();
  }

  @Test
  void with_append_time_records_take_the_brokers_time_and_a_duplicate_the_original_one() {
    PartitionConfig create = os.config;
    os.gate
        .configure(
            new PartitionConfig(
                FlushPolicy.OS,
                1000,
                true,
                create.timestampBeforeMaxMs(),
                create.timestampAfterMaxMs(),
                create.producerIdExpirationMs(),
                false,
                true,
                false,
                1,
                LogConfig.defaults(),
                create.compaction()))
        .run();
    os.clock.advanceMs(50);
    long appendTime = os.clock.wallMillis();
    assertThat(os.send(idempotent(7, 0, 0, 1)).get(0).logAppendTimeMs()).isEqualTo(appendTime);
    os.clock.advanceMs(50);
    assertThat(os.send(idempotent(7, 0, 0, 1)).get(0).logAppendTimeMs()).isEqualTo(appendTime);
    BatchView stored = new BatchView().wrap(os.gate.read(0, 1000), 0);
    assertThat(stored.maxTimestamp()).isEqualTo(appendTime);
    assertThat(stored.crc()).isEqualTo(stored.computeCrc());
  }

  @Test
  void a_watch_fires_once_and_only_for_its_isolation() {
    List<String> woken = new ArrayList<>();
    os.sendInTransaction(1, 0, 0, 1);
    FetchWatch dirty = new FetchWatch(Isolation.HIGH_WATERMARK, 1, () -> woken.add("dirty"));
    FetchWatch committed = new FetchWatch(Isolation.COMMITTED, 0, () -> woken.add("committed"));
    assertThat(os.gate.watch(dirty)).isTrue();
    assertThat(os.gate.watch(committed)).isTrue();
    os.sendInTransaction(1, 0, 1, 1);
    assertThat(woken).containsExactly("dirty");
    os.mark(1, 1, true);
    assertThat(woken).containsExactly("dirty", "committed");
    os.send(plain(1));
    assertThat(woken).hasSize(2);
    assertThat(os.gate.watch(committed)).as("the end has moved already").isFalse();
  }

  @Test
  void delete_records_works_in_front_of_an_open_transaction() {
    os.sendInTransaction(1, 0, 0, 4);
    assertThat(os.gate.deleteRecords(5).error()).isEqualTo(WireError.OFFSET_OUT_OF_RANGE);
    assertThat(os.gate.deleteRecords(-2).error()).isEqualTo(WireError.OFFSET_OUT_OF_RANGE);
    assertThat(os.gate.deleteRecords(-1)).isEqualTo(new DeleteAnswer(WireError.NONE, 4));
    assertThat(os.fetch(3, Isolation.COMMITTED).error()).isEqualTo(WireError.OFFSET_OUT_OF_RANGE);
    assertThat(os.gate.lastStableOffset()).isEqualTo(4);
    os.mark(1, 1, true);
    assertThat(os.gate.lastStableOffset()).isEqualTo(5);
  }

  @Test
  void l2_all_five_batches_are_recognised_after_any_stop_and_with_bad_snapshots_or_none() {
    for (int i = 0; i < 40; i++) {
      group.send(idempotent(7, 0, i * 2, 2));
      group.settle();
    }
    List<Runnable> restarts =
        List.of(
            group::stopAndOpen,
            group::killAndOpen,
            group::crashAndOpen,
            () -> {
              group.replicas.close(true);
              for (String name : group.disk.list("orders-0")) {
                if (name.endsWith(".snapshot")) {
                  group.disk.corrupt("orders-0/" + name, 10);
                }
              }
              group.open();
            },
            () -> {
              group.replicas.close(true);
              for (String name : group.disk.list("orders-0")) {
                if (name.endsWith(".snapshot")) {
                  group.disk.delete("orders-0/" + name);
                }
              }
              group.open();
            });
    for (Runnable restart : restarts) {
      restart.run();
      assertThat(group.gate.logEndOffset()).isEqualTo(80);
      for (int i = 35; i < 40; i++) {
        assertThat(offsetOf(group.send(idempotent(7, 0, i * 2, 2)))).isEqualTo(i * 2L);
      }
      assertThat(errorOf(group.send(idempotent(7, 0, 68, 2))))
          .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }
  }

  @Test
  void a_topic_of_the_same_name_sees_nothing_of_the_older_one() {
    os.send(plain(3));
    os.replicas.close(true);
    Replicas later = new Replicas(os.disk, os.clock, os.scheduler);
    PartitionGate gate = later.open(ReplicaFixture.ORDERS, new Uuid(5, 6), 0, os.config);
    assertThat(gate.logEndOffset()).isZero();
  }

  @Test
  void a_deleted_partition_refuses_those_who_wait() {
    List<AppendResult> waiting = group.send(plain(1));
    group.replicas.delete(ReplicaFixture.ORDERS).run();
    assertThat(errorOf(waiting)).isEqualTo(WireError.NOT_LEADER_OR_FOLLOWER);
    group.settle();
    assertThat(group.replicas.find(ReplicaFixture.ORDERS)).isNull();
    assertThat(group.disk.list("orders-0")).isEmpty();
  }

  @Test
  void a_deletion_that_was_cut_short_shows_a_later_topic_nothing_of_the_older_one() {
    int cutShort = 0;
    for (int at = 0; at < 12; at++) {
      ReplicaFixture fixture = new ReplicaFixture(FlushPolicy.GROUP, at);
      fixture.send(plain(3));
      fixture.settle();
      fixture.disk.powerOffIn(at);
      try {
        fixture.replicas.delete(ReplicaFixture.ORDERS).run();
      } catch (DiskException off) {
        cutShort++;
      }
      fixture.crash();
      Replicas later = new Replicas(fixture.disk, fixture.clock, fixture.scheduler);
      PartitionGate gate = later.open(ReplicaFixture.ORDERS, new Uuid(5, 6), 0, fixture.config);
      assertThat(gate.logEndOffset()).as("power off at change %d", at).isZero();
    }
    assertThat(cutShort).isGreaterThan(3);
  }

  @Test
  void a_damaged_topic_id_costs_no_record() {
    String idFile = ReplicaFixture.ORDERS + "/partition.metadata";
    int size = new ReplicaFixture(FlushPolicy.GROUP).disk.read(idFile).length;
    for (int at = 0; at < size; at++) {
      ReplicaFixture fixture = new ReplicaFixture(FlushPolicy.GROUP);
      fixture.gate.appendInternal(ReplicaFixture.plain(3), result -> {}).run();
      fixture.scheduler.runFor(10);
      fixture.replicas.close(true);
      fixture.disk.corrupt(idFile, at);
      fixture.open();
      boolean isAside = fixture.disk.exists("stray-1." + ReplicaFixture.ORDERS);
      assertThat(isAside || fixture.gate.logEndOffset() == 3).as("byte %d", at).isTrue();
    }
  }

  @Test
  void only_what_was_deleted_is_deleted_at_a_start_and_what_the_metadata_lost_is_kept() {
    ReplicaFixture fixture = new ReplicaFixture(FlushPolicy.GROUP);
    TopicPartition deleted = new TopicPartition("deleted", 0);
    fixture.replicas.open(deleted, new Uuid(5, 6), 0, fixture.config);
    fixture.stop();
    List<String> notices = new ArrayList<>();
    Replicas later =
        new Replicas(
            fixture.disk,
            ReplicaWorld.alone(fixture.clock, fixture.scheduler, notices::add, Meters.NONE));
    later.clearLeftovers(List.of(new Uuid(5, 6)));
    assertThat(fixture.disk.list("")).containsExactly("stray-1." + ReplicaFixture.ORDERS);
    assertThat(notices)
        .containsExactlyInAnyOrder(
            "deleted-0 is deleted, as its topic was",
            "orders-0 is kept as stray-1.orders-0: the metadata has lost its topic, whose id is "
                + ReplicaFixture.TOPIC_ID);
  }
}
