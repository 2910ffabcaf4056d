package io.fencepost.broker.replica;

import static io.fencepost.broker.replica.ReplicaFixture.idempotent;
import static io.fencepost.broker.replica.ReplicaFixture.plain;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.wire.WireError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long a partition remembers its producers: until they expire, whatever becomes of the log. */
class ProducerMemoryTest {
  private static final long ID = 7;

  /** More than what sending takes. */
  private static final long MARGIN_MS = 1_000;

  /** Ways to go away and come back. */
  private enum Restart {
    STOP,
    KILL,
    POWER_FAILURE;

    void of(ReplicaFixture partition) {
      switch (this) {
        case STOP -> partition.stopAndOpen();
        case KILL -> partition.killAndOpen();
        case POWER_FAILURE -> partition.crashAndOpen();
      }
    }
  }

  private static ReplicaFixture withFiveBatches(FlushPolicy flush) {
    ReplicaFixture partition = new ReplicaFixture(flush);
    for (int sequence = 0; sequence < 5; sequence++) {
      partition.send(idempotent(ID, 0, sequence, 1));
      partition.settle();
    }
    return partition;
  }

  private static void fillSegments(ReplicaFixture partition, int count) {
    for (int i = 0; i < 10 * count; i++) {
      partition.send(plain(5));
      partition.settle();
    }
  }

  private static AppendResult send(ReplicaFixture partition, int epoch, int sequence) {
    List<AppendResult> results = partition.send(idempotent(ID, epoch, sequence, 1));
    partition.settle();
    assertThat(results).hasSize(1);
    return results.get(0);
  }

  private static void assertRemembered(ReplicaFixture partition, String when) {
    long end = partition.gate.logEndOffset();
    for (int sequence = 0; sequence < 5; sequence++) {
      AppendResult retry = send(partition, 0, sequence);
      assertThat(retry.error()).as(when).isEqualTo(WireError.NONE);
      assertThat(retry.baseOffset()).as(when).isEqualTo(sequence);
    }
    assertThat(send(partition, 0, 9).error())
        .as(when)
        .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(partition.gate.logEndOffset()).as(when).isEqualTo(end);
  }

  @ParameterizedTest
  @EnumSource(FlushPolicy.class)
  void deleted_records_are_remembered_while_their_file_is_there(FlushPolicy flush) {
    for (Restart restart : Restart.values()) {
      ReplicaFixture partition = withFiveBatches(flush);
      forceAll(partition);
      assertThat(partition.gate.deleteRecords(-1).error()).isEqualTo(WireError.NONE);
      restart.of(partition);
      assertThat(partition.gate.logStartOffset()).isEqualTo(6);
      assertRemembered(partition, flush + " " + restart);
    }
  }

  @ParameterizedTest
  @EnumSource(FlushPolicy.class)
  void deleted_records_are_remembered_when_their_files_are_gone(FlushPolicy flush) {
    for (Restart restart : Restart.values()) {
      ReplicaFixture partition = withFiveBatches(flush);
      fillSegments(partition, 3);
      forceAll(partition);
      long files = filesOf(partition);
      assertThat(partition.gate.deleteRecords(-1).error()).isEqualTo(WireError.NONE);
      assertThat(filesOf(partition)).isLessThan(files);
      assertRemembered(partition, flush + " before " + restart);
      restart.of(partition);
      assertRemembered(partition, flush + " " + restart);
    }
  }

  /** A kill loses nothing that was written, forced or not. */
  @ParameterizedTest
  @EnumSource(FlushPolicy.class)
  void deleted_records_that_were_never_forced_are_remembered_after_a_kill(FlushPolicy flush) {
    ReplicaFixture partition = withFiveBatches(flush);
    fillSegments(partition, 3);
    assertThat(partition.gate.deleteRecords(-1).error()).isEqualTo(WireError.NONE);
    partition.killAndOpen();
    assertRemembered(partition, flush.toString());
  }

  @ParameterizedTest
  @EnumSource(FlushPolicy.class)
  void an_open_transaction_is_remembered_whose_records_were_deleted(FlushPolicy flush) {
    for (Restart restart : Restart.values()) {
      ReplicaFixture partition = new ReplicaFixture(flush);
      partition.sendInTransaction(ID, 0, 0, 1);
      forceAll(partition);
      assertThat(partition.gate.deleteRecords(-1).error()).isEqualTo(WireError.NONE);
      restart.of(partition);
      String when = flush + " " + restart;
      assertThat(partition.gate.activeProducers()).as(when).hasSize(1);
      assertThat(partition.gate.activeProducers().get(0).openFirstOffset()).as(when).isZero();
      assertThat(send(partition, 0, 1).error()).as(when).isEqualTo(WireError.INVALID_TXN_STATE);
      partition.mark(ID, 1, false);
      partition.settle();
      assertThat(partition.gate.lastStableOffset()).as(when).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource(FlushPolicy.class)
  void what_retention_removed_is_remembered(FlushPolicy flush) {
    for (Restart restart : Restart.values()) {
      ReplicaFixture partition = withFiveBatches(flush);
      fillSegments(partition, 3);
      forceAll(partition);
      LogConfig log = partition.config.log().withRetention(-1, 1);
      partition.config = partition.config.withLog(log);
      partition.gate.configure(partition.config).run();
      partition.replicas.applyRetention();
      assertThat(partition.gate.logStartOffset()).isGreaterThan(5);
      assertRemembered(partition, flush + " before " + restart);
      restart.of(partition);
      assertRemembered(partition, flush + " " + restart);
    }
  }

  @ParameterizedTest
  @EnumSource(Restart.class)
  void an_expired_producer_may_go_on_with_any_sequence_and_an_open_transaction_never_expires(
      Restart restart) {
    ReplicaFixture partition = withFiveBatches(FlushPolicy.GROUP);
    partition.sendInTransaction(8, 0, 0, 1);
    partition.settle();
    restart.of(partition);
    long expirationMs = partition.config.producerIdExpirationMs();
    partition.clock.advanceMs(expirationMs - MARGIN_MS);
    partition.replicas.expireProducers();
    assertThat(partition.gate.activeProducers()).hasSize(2);
    assertRemembered(partition, "just before it expires");

    partition.clock.advanceMs(2 * MARGIN_MS);
    partition.replicas.expireProducers();

    assertThat(partition.gate.activeProducers()).hasSize(1);
    assertThat(send(partition, 0, 77).error()).isEqualTo(WireError.NONE);
    long end = partition.gate.logEndOffset();
    assertThat(partition.gate.lastStableOffset()).isEqualTo(5).isLessThan(end);
    partition.mark(8, 1, true);
    partition.settle();
    assertThat(partition.gate.lastStableOffset()).isEqualTo(end + 1);
    partition.clock.advanceMs(expirationMs - MARGIN_MS);
    partition.replicas.expireProducers();
    assertThat(partition.gate.activeProducers()).as("the marker renewed it").hasSize(2);
    partition.clock.advanceMs(2 * MARGIN_MS);
    partition.replicas.expireProducers();
    assertThat(partition.gate.activeProducers()).isEmpty();
  }

  @Test
  void setting_the_clock_forward_or_back_makes_the_partition_forget_nobody_sooner_or_later() {
    ReplicaFixture partition = withFiveBatches(FlushPolicy.GROUP);
    long expirationMs = partition.config.producerIdExpirationMs();
    partition.clock.stepWallMs(2 * expirationMs);
    partition.replicas.expireProducers();
    assertRemembered(partition, "after a step forward");
    partition.clock.stepWallMs(-4 * expirationMs);
    partition.clock.advanceMs(expirationMs + MARGIN_MS);
    partition.replicas.expireProducers();
    assertThat(partition.gate.activeProducers()).isEmpty();
  }

  /** With flush=os nothing is forced by itself, and a power failure would take the records. */
  private static void forceAll(ReplicaFixture partition) {
    PartitionConfig os = partition.config;
    partition.gate.configure(PartitionConfig.defaults(FlushPolicy.GROUP).withLog(os.log())).run();
    partition.send(plain(1));
    partition.settle();
    partition.gate.configure(os).run();
  }

  private static long filesOf(ReplicaFixture partition) {
    return partition.disk.list("orders-0").stream().filter(name -> name.endsWith(".log")).count();
  }
}
