package io.fencepost.broker.log;

import static io.fencepost.broker.log.LogFixture.batch;
import static io.fencepost.broker.log.LogFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is left after damage: never less than up to the damage, never a byte of it. */
class LogRecoveryTest {
  @Test
  void l6_damage_at_any_byte_cuts_the_log_in_front_of_that_batch() {
    int size = (int) small().disk.open(path(".log")).sizeBytes();
    for (int at = 0; at < size; at++) {
      LogFixture fixture = small();
      fixture.disk.corrupt(path(".log"), at);
      PartitionLog log = fixture.open();
      int hurt = batchAt(at);
      long within = at - startOf(hurt);
      // The offset and the leader epoch stand outside the checksum; the offset must still grow.
      boolean unprotected = within < 8 || (within >= 12 && within < 16);
      if (!unprotected) {
        assertThat(log.endOffset()).as("byte " + at).isEqualTo(hurt * 2L);
      }
      fill(log, 20);
      assertThat(LogFixture.readAll(log, 0, 1000)).isNotEmpty();
    }
  }

  @Test
  void l6_a_log_torn_at_any_byte_keeps_the_whole_batches_in_front() {
    int size = (int) small().disk.open(path(".log")).sizeBytes();
    for (int at = 0; at <= size; at++) {
      LogFixture fixture = small();
      fixture.disk.open(path(".log")).truncate(at);
      PartitionLog log = fixture.open();
      assertThat(log.endOffset()).isEqualTo(2L * wholeBatches(at));
    }
  }

  @Test
  void a_tail_of_zeros_or_noise_is_cut() {
    Random random = new Random(5);
    for (int round = 0; round < 200; round++) {
      LogFixture fixture = small();
      byte[] tail = new byte[1 + random.nextInt(300)];
      if (round % 2 == 0) {
        random.nextBytes(tail);
      }
      fixture.disk.open(path(".log")).append(ByteBuffer.wrap(tail));
      assertThat(fixture.open().endOffset()).isEqualTo(10);
    }
  }

  @Test
  void l1_what_a_recovery_lets_readers_see_outlives_a_force_that_failed_before() {
    LogFixture failedWhileServing = small();
    PartitionLog log = failedWhileServing.open();
    fill(log, 20);
    failedWhileServing.disk.failNextForce();
    assertThatThrownBy(log::force).isInstanceOf(DiskException.class);
    failedWhileServing.disk.kill();
    LogFixture failedInRecovery = small();
    fill(failedInRecovery.open(), 20);
    failedInRecovery.disk.kill();
    failedInRecovery.disk.failNextForce();
    assertThatThrownBy(failedInRecovery::open).isInstanceOf(DiskException.class);
    for (LogFixture fixture : List.of(failedWhileServing, failedInRecovery)) {
      long seen = fixture.open().endOffset();
      fixture.disk.crash();
      assertThat(fixture.open().endOffset()).isEqualTo(seen).isEqualTo(20);
    }
  }

  @Test
  void missing_and_damaged_indexes_are_rebuilt_after_a_clean_stop() {
    for (String suffix : List.of(".index", ".timeindex", ".txnindex")) {
      LogFixture intact = stoppedWithAborts();
      byte[] right = intact.disk.read(intact.path(0, suffix));
      assertThat(right).isNotEmpty();
      intact.disk.delete(intact.path(0, suffix));
      checkLookUps(intact.open());
      for (int at = 0; at < right.length; at++) {
        LogFixture fixture = stoppedWithAborts();
        fixture.disk.corrupt(fixture.path(0, suffix), at);
        if (!suffix.equals(".txnindex")) {
          // Found when used: an entry counts only if the log confirms it.
          try {
            checkLookUps(fixture.open());
          } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(suffix + " damaged at byte " + at, e);
          }
        }
      }
      for (int size = 0; size < right.length; size += 5) {
        if (suffix.equals(".timeindex") && size > 0 && size % 12 == 0) {
          // A time index that somebody cut exactly between two entries is believed.
          continue;
        }
        LogFixture fixture = stoppedWithAborts();
        fixture.disk.open(fixture.path(0, suffix)).truncate(size);
        checkLookUps(fixture.open());
      }
    }
  }

  /** A coordinator marks every partition of a transaction, also one that its data never reached. */
  @Test
  void l5_a_marker_that_ended_nothing_is_no_aborted_transaction_after_a_kill() {
    LogFixture fixture = new LogFixture();
    PartitionLog log = fixture.open();
    fill(log, 4);
    ByteBuffer marker = new ControlMarker(false, 0).toBatch(9, (short) 1, 1000);
    new BatchView().wrap(marker, 0).assign(4, 0);
    log.append(marker);
    assertThat(fixture.open().aborted(0, 5)).isEmpty();
  }

  @Test
  void damaged_checkpoints_of_any_kind_lose_nothing() {
    for (String name : List.of("recovery-point", "leader-epoch-checkpoint")) {
      String file = LogFixture.DIRECTORY + "/" + name;
      int size = stoppedWithAborts().disk.read(file).length;
      for (int at = -1; at < size; at++) {
        LogFixture fixture = stoppedWithAborts();
        if (at < 0) {
          fixture.disk.delete(file);
        } else if (name.startsWith("recovery") || at < 2) {
          fixture.disk.corrupt(file, at);
        }
        PartitionLog log = fixture.open();
        checkLookUps(log);
        if (name.startsWith("recovery") || at >= 0) {
          assertThat(log.leaderEpochs().latestEpoch()).isEqualTo(3);
        }
      }
    }
  }

  @Test
  void a_restart_after_kill_reads_from_the_recovery_point_on_only() {
    LogFixture fixture = new LogFixture();
    PartitionLog log = fixture.open();
    fill(log, 200);
    log.force();
    // Rot in a segment that was forced is not even looked at by a restart: proof that it is not
    // read.
    fixture.disk.corrupt(fixture.path(0, ".log"), 70);
    fill(log, 204);
    fixture.disk.kill();
    log = fixture.open();
    assertThat(log.endOffset()).isEqualTo(204);
  }

  @Test
  void a_clean_stop_reads_no_batch_at_the_next_start() {
    LogFixture fixture = small();
    PartitionLog log = fixture.open();
    log.close(true);
    fixture.disk.corrupt(path(".log"), 70);
    assertThat(fixture.open().endOffset()).isEqualTo(10);
  }

  @Test
  void segments_behind_a_torn_one_go_too() {
    LogFixture fixture = new LogFixture();
    PartitionLog log = fixture.open();
    fill(log, 100);
    fixture.disk.kill();
    AppendFile first = fixture.disk.open(fixture.path(0, ".log"));
    first.truncate(first.sizeBytes() - 1);
    log = fixture.open();
    assertThat(log.endOffset()).isLessThan(30);
    assertThat(fixture.disk.list(LogFixture.DIRECTORY).stream().filter(n -> n.endsWith(".log")))
        .hasSize(1);
    fill(log, 100);
    assertThat(LogFixture.readAll(log, 0, 500)).hasSize(50);
  }

  @Test
  void leftovers_and_strange_names_do_no_harm() {
    LogFixture fixture = small();
    for (String name : List.of("00000000000000000777.index", "notes.txt", "000.log", ".snapshot")) {
      fixture.disk.open(LogFixture.DIRECTORY + "/" + name).append(ByteBuffer.allocate(3));
    }
    assertThat(fixture.open().endOffset()).isEqualTo(10);
    assertThat(fixture.disk.exists(fixture.path(777, ".index"))).isFalse();
    assertThat(fixture.disk.exists(LogFixture.DIRECTORY + "/notes.txt")).isTrue();
  }

  private static LogFixture small() {
    LogFixture fixture = new LogFixture();
    fixture.config = LogFixture.SMALL.withSegmentBytes(100_000);
    PartitionLog log = fixture.open();
    fill(log, 10);
    fixture.disk.kill();
    return fixture;
  }

  private static String path(String suffix) {
    return LogFixture.DIRECTORY + "/" + SegmentNames.name(0, suffix);
  }

  private static int startOf(int index) {
    int at = 0;
    for (int i = 0; i < index; i++) {
      at += batch(2L * i, 2).remaining();
    }
    return at;
  }

  private static int batchAt(int position) {
    return wholeBatches(position);
  }

  private static int wholeBatches(int bytes) {
    int count = 0;
    while (startOf(count + 1) <= bytes) {
      count++;
    }
    return count;
  }

  /** 40 transactions of one record; every second one aborted; epochs 0 to 3; stopped cleanly. */
  private static LogFixture stoppedWithAborts() {
    LogFixture fixture = new LogFixture();
    fixture.config = LogFixture.SMALL.withSegmentBytes(4000).withIndex(300, 10_000);
    PartitionLog log = fixture.open();
    log.onSnapshot(Content.of(new byte[] {1}));
    for (int i = 0; i < 40; i++) {
      long at = log.endOffset();
      log.append(
          BatchWriter.at(at)
              .leaderEpoch(i / 10)
              .producer(9, (short) 0, i)
              .transactional()
              .add(1000 + at, null, new byte[10])
              .build());
      boolean commit = i % 2 == 0;
      ByteBuffer marker = new ControlMarker(commit, 0).toBatch(9, (short) 0, 1000 + at + 1);
      new BatchView().wrap(marker, 0).assign(at + 1, i / 10);
      log.append(marker);
      if (!commit) {
        log.addAborted(new AbortedTxn(9, at, at + 1, at + 2));
      }
    }
    log.close(true);
    return fixture;
  }

  private static void checkLookUps(PartitionLog log) {
    assertThat(log.endOffset()).isEqualTo(80);
    for (long offset = 0; offset < 80; offset++) {
      ReadResult result = log.read(offset, 1, true, Long.MAX_VALUE);
      assertThat(result.firstOffset()).isEqualTo(offset);
      assertThat(result.nextOffset()).isEqualTo(offset + 1);
      assertThat(log.offsetForTimestamp(1000 + offset).offset()).isEqualTo(offset);
    }
    assertThat(log.aborted(0, 80)).hasSize(20);
    assertThat(log.aborted(2, 3)).containsExactly(new AbortedTxn(9, 2, 3, 4));
  }

  @Test
  void l6_a_log_shorter_than_what_was_durable_is_refused_until_somebody_accepts_it() {
    LogFixture fixture = stoppedWithAborts();
    long size = fixture.disk.open(fixture.path(0, ".log")).sizeBytes();
    fixture.disk.open(fixture.path(0, ".log")).truncate(size - 1);
    assertThatThrownBy(fixture::open).hasMessageContaining("recovery-point");
    String directory = fixture.path(0, ".log").replaceAll("/[^/]*$", "");
    fixture.disk.delete(directory + "/recovery-point");
    fixture.disk.delete(directory + "/durable-end");
    assertThat(fixture.open().endOffset()).isPositive();
  }

  @Test
  void l6_damage_of_what_was_durable_is_refused_and_nothing_is_cut_or_removed_meanwhile() {
    for (boolean isSealed : new boolean[] {true, false}) {
      LogFixture fixture = new LogFixture();
      PartitionLog log = fixture.open();
      fill(log, 100);
      log.force();
      fixture.disk.kill();
      List<String> names = fixture.disk.list(LogFixture.DIRECTORY);
      List<String> logs = names.stream().filter(name -> name.endsWith(".log")).toList();
      assertThat(logs).hasSizeGreaterThan(3);
      String hurt = LogFixture.DIRECTORY + "/" + logs.get(isSealed ? 1 : logs.size() - 1);
      byte[] before = fixture.disk.read(hurt);
      // The magic of the first batch: met without a scan too.
      fixture.disk.corrupt(hurt, 16);
      assertThatThrownBy(fixture::open).hasMessageContaining("were damaged or removed");
      assertThat(fixture.disk.list(LogFixture.DIRECTORY)).containsAll(names);
      assertThat(fixture.disk.read(hurt)).hasSameSizeAs(before);
      fixture.disk.delete(LogFixture.DIRECTORY + "/recovery-point");
      fixture.disk.delete(LogFixture.DIRECTORY + "/durable-end");
      PartitionLog accepted = fixture.open();
      assertThat(accepted.endOffset()).isLessThan(100);
      assertThat(accepted.cutAtOpen()).contains(hurt, "byte 0");
    }
  }

  @Test
  void l6_a_torn_tail_that_was_never_forced_is_cut_and_told() {
    LogFixture fixture = small();
    PartitionLog log = fixture.open();
    log.force();
    log.append(batch(10, 2));
    long size = fixture.disk.open(path(".log")).sizeBytes();
    log.append(batch(12, 2));
    fixture.disk.kill();
    fixture.disk.open(path(".log")).truncate(size + 20);
    log = fixture.open();
    assertThat(log.endOffset()).isEqualTo(12);
    assertThat(log.cutAtOpen())
        .contains("offset 12", "20 bytes", "as a crash or a cut leaves them");
    assertThat(fixture.open().cutAtOpen()).isNull();
  }

  @Test
  void damage_with_intact_batches_behind_it_is_told_as_damage() {
    LogFixture fixture = small();
    fixture.disk.corrupt(path(".log"), 70);
    assertThat(fixture.open().cutAtOpen()).contains("the disk has damaged what it held");
  }
}
