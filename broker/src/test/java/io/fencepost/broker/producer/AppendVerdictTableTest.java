package io.fencepost.broker.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import org.junit.jupiter.api.Test;

/** Every case that Apache Kafka 4.4 was asked about, by its answer. */
class AppendVerdictTableTest {
  private static final long ID = 7;
  private static final int MAX = Integer.MAX_VALUE;

  private final ProducerStates states = new ProducerStates();
  private long nextOffset;

  private static ProducedBatch batch(int epoch, int first, int last) {
    return new ProducedBatch(ID, (short) epoch, first, last, false);
  }

  private static ProducedBatch transactional(int epoch, int first, int last) {
    return new ProducedBatch(ID, (short) epoch, first, last, true);
  }

  private WireError errorOf(ProducedBatch batch) {
    return states.check(batch, null).error();
  }

  /** Checks, must be accepted, and writes; returns the base offset. */
  private long write(ProducedBatch batch) {
    return write(batch, null);
  }

  private long write(ProducedBatch batch, TxnGuard guard) {
    AppendVerdict verdict = states.check(batch, guard);
    assertThat(verdict).as("%s", batch).isEqualTo(AppendVerdict.Accept.ACCEPT);
    long baseOffset = nextOffset;
    states.apply(batch, baseOffset, 1000 + baseOffset, 5);
    nextOffset += Sequences.distance(batch.baseSequence(), batch.lastSequence()) + 1;
    return baseOffset;
  }

  private long begin(ProducedBatch batch) {
    return write(batch, states.guardFor(batch, true, 5));
  }

  private CompletedTxn end(int epoch, boolean commit, int version) {
    Marker marker = new Marker(ID, (short) epoch, commit, 3);
    assertThat(states.checkMarker(marker, version)).isEqualTo(AppendVerdict.Accept.ACCEPT);
    return states.applyMarker(marker, version, nextOffset++, 5);
  }

  private void assertDuplicateOf(long baseOffset, ProducedBatch batch) {
    assertThat(states.check(batch, null))
        .isInstanceOfSatisfying(
            AppendVerdict.Duplicate.class,
            duplicate -> {
              assertThat(duplicate.baseOffset()).isEqualTo(baseOffset);
              assertThat(duplicate.timestamp()).isEqualTo(1000 + baseOffset);
            });
  }

  @Test
  void each_of_the_last_five_batches_is_recognised_and_the_sixth_back_is_out_of_order() {
    long[] offsets = new long[7];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = write(batch(0, i * 3, i * 3 + 2));
    }
    for (int i = 2; i < offsets.length; i++) {
      assertDuplicateOf(offsets[i], batch(0, i * 3, i * 3 + 2));
    }
    assertThat(errorOf(batch(0, 3, 5))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(errorOf(batch(0, 0, 2))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
  }

  @Test
  void a_part_of_a_batch_and_an_overlap_are_out_of_order() {
    write(batch(0, 0, 9));
    assertThat(errorOf(batch(0, 0, 4))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(errorOf(batch(0, 5, 9))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(errorOf(batch(0, 5, 14))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(errorOf(batch(0, 0, 10))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
  }

  @Test
  void a_gap_names_what_must_come_next() {
    write(batch(4, 0, 9));
    AppendVerdict verdict = states.check(batch(4, 11, 11), null);
    assertThat(verdict).isEqualTo(new AppendVerdict.Gap(ID, (short) 4, 10, 11));
    assertThat(verdict.sentence()).contains("producer 7", "epoch 4", "sequence 11", "10");
  }

  @Test
  void an_unknown_producer_may_begin_anywhere() {
    write(batch(0, 500, 501));
    write(batch(0, 502, 502));
  }

  @Test
  void an_unknown_producer_in_an_implicit_transaction_must_begin_at_zero() {
    ProducedBatch late = transactional(0, 5, 5);
    TxnGuard guard = states.guardFor(late, true, 0);
    assertThat(states.check(late, guard).error()).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    begin(transactional(0, 0, 4));
  }

  @Test
  void an_unknown_producer_in_an_announced_transaction_may_begin_anywhere_but_not_overtake() {
    ProducedBatch first = transactional(0, 40, 44);
    TxnGuard guard = states.guardFor(first, false, 0);
    ProducedBatch second = transactional(0, 45, 49);
    assertThat(states.guardFor(second, false, 0)).isSameAs(guard);
    assertThat(states.check(second, guard).error())
        .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    write(first, guard);
    write(second);
  }

  @Test
  void nor_does_a_batch_overtake_where_sequences_begin_anew_between_them() {
    ProducedBatch first = transactional(0, MAX - 4, MAX);
    TxnGuard guard = states.guardFor(first, false, 0);
    ProducedBatch second = transactional(0, 0, 4);
    assertThat(states.guardFor(second, false, 0)).isSameAs(guard);
    assertThat(states.check(second, guard).error())
        .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    write(first, guard);
    write(second);
  }

  @Test
  void a_new_epoch_starts_at_zero() {
    write(batch(0, 0, 9));
    assertThat(errorOf(batch(1, 10, 10))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(states.find(ID).epoch()).as("nothing changed").isZero();
    write(batch(1, 0, 0));
    assertThat(states.find(ID).batchCount()).isEqualTo(1);
  }

  @Test
  void an_epoch_that_nobody_announced_is_accepted_outside_of_transactions() {
    write(batch(0, 0, 0));
    write(batch(30, 0, 0));
  }

  @Test
  void a_stale_epoch_is_fenced_even_for_an_exact_retry() {
    write(batch(0, 0, 9));
    write(batch(1, 0, 0));
    assertThat(errorOf(batch(0, 0, 9))).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    assertThat(errorOf(batch(0, 10, 10))).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    assertThat(states.check(batch(0, 0, 9), null).sentence()).contains("epoch 1", "epoch 0");
  }

  @Test
  void after_the_last_sequence_comes_zero() {
    write(batch(0, MAX - 1, MAX));
    assertThat(errorOf(batch(0, 1, 1))).isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    write(batch(0, 0, 0));
  }

  @Test
  void a_batch_may_cross_the_wrap_and_is_recognised() {
    long offset = write(batch(0, MAX - 1, 2));
    assertThat(nextOffset).isEqualTo(5);
    assertDuplicateOf(offset, batch(0, MAX - 1, 2));
    write(batch(0, 3, 3));
  }

  @Test
  void a_plain_batch_in_an_open_transaction_is_refused() {
    begin(transactional(0, 0, 0));
    assertThat(errorOf(batch(0, 1, 1))).isEqualTo(WireError.INVALID_TXN_STATE);
    assertThat(errorOf(batch(1, 0, 0))).isEqualTo(WireError.INVALID_TXN_STATE);
  }

  @Test
  void a_transactional_batch_without_a_transaction_is_refused() {
    assertThat(errorOf(transactional(0, 0, 0))).isEqualTo(WireError.INVALID_TXN_STATE);
  }

  @Test
  void a_marker_makes_a_guard_worthless() {
    begin(transactional(0, 0, 0));
    end(0, true, 1);
    ProducedBatch late = transactional(0, 1, 1);
    TxnGuard guard = states.guardFor(late, false, 5);
    end(0, false, 1);
    assertThat(states.check(late, guard).error()).isEqualTo(WireError.INVALID_TXN_STATE);
    assertThat(states.openCount()).isZero();
  }

  @Test
  void a_repeated_marker_of_version_2_leaves_the_guard_of_the_next_transaction_alone() {
    begin(transactional(0, 0, 0));
    end(1, true, 2);
    ProducedBatch next = transactional(1, 0, 0);
    TxnGuard guard = states.guardFor(next, true, 5);
    end(1, true, 2);
    write(next, guard);
    end(2, true, 2);
    ProducedBatch late = transactional(2, 0, 0);
    TxnGuard ended = states.guardFor(late, true, 5);
    end(3, false, 2);
    assertThat(states.check(late, ended).error()).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
  }

  @Test
  void a_batch_of_another_epoch_does_not_take_the_guard_of_the_rightful_one_away() {
    ProducedBatch rightful = transactional(4, 0, 0);
    TxnGuard guard = states.guardFor(rightful, true, 5);
    ProducedBatch zombie = transactional(3, 0, 0);
    TxnGuard ofZombie = states.guardFor(zombie, true, 5);
    ProducedBatch liar = transactional(30, 0, 0);
    assertThat(states.guardFor(liar, true, 5)).isNotSameAs(guard);
    write(rightful, guard);
    end(5, true, 2);
    assertThat(states.check(zombie, ofZombie).error()).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    ProducedBatch next = transactional(5, 0, 0);
    write(next, states.guardFor(next, true, 5));
  }

  @Test
  void a_stale_epoch_is_told_before_the_coordinator_is_asked() {
    begin(transactional(0, 0, 0));
    end(1, false, 2);
    ProducedBatch zombie = transactional(0, 1, 1);
    assertThat(states.guardFor(zombie, true, 5)).isNull();
    assertThat(errorOf(zombie)).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
  }

  @Test
  void an_announced_transaction_goes_on_with_the_sequence_of_the_one_before() {
    begin(transactional(0, 0, 4));
    end(0, true, 1);
    ProducedBatch next = transactional(0, 5, 5);
    write(next, states.guardFor(next, false, 5));
  }

  @Test
  void a_marker_of_version_2_begins_a_new_epoch_at_zero() {
    begin(transactional(0, 0, 4));
    assertThat(end(1, true, 2)).isEqualTo(new CompletedTxn(ID, 0, 5, true));
    ProducedBatch wrong = transactional(1, 5, 5);
    assertThat(states.check(wrong, states.guardFor(wrong, true, 5)).error())
        .isEqualTo(WireError.OUT_OF_ORDER_SEQUENCE_NUMBER);
    begin(transactional(1, 0, 0));
  }

  @Test
  void a_repeated_marker_has_no_second_effect() {
    begin(transactional(0, 0, 0));
    assertThat(end(1, true, 2)).isNotNull();
    assertThat(end(1, true, 2)).isNull();
    begin(transactional(1, 0, 0));
    Marker late = new Marker(ID, (short) 1, true, 3);
    assertThat(states.checkMarker(late, 2).error())
        .as("C7: it belongs to the transaction before")
        .isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    assertThat(end(2, false, 2)).isNotNull();
  }

  @Test
  void a_marker_of_a_stale_epoch_is_fenced() {
    begin(transactional(3, 0, 0));
    Marker stale = new Marker(ID, (short) 2, false, 3);
    assertThat(states.checkMarker(stale, 1).error()).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    assertThat(states.openCount()).isEqualTo(1);
  }

  @Test
  void a_marker_of_a_replaced_coordinator_is_fenced() {
    end(0, true, 1);
    Marker stale = new Marker(ID, (short) 0, true, 2);
    assertThat(states.checkMarker(stale, 1).error())
        .isEqualTo(WireError.TRANSACTION_COORDINATOR_FENCED);
  }

  @Test
  void a_marker_where_nothing_was_written_is_accepted() {
    assertThat(end(0, true, 1)).isNull();
    assertThat(states.find(ID).hasOpenTransaction()).isFalse();
  }

  @Test
  void the_last_stable_offset_waits_until_the_marker_is_committed() {
    write(batch(0, 0, 9));
    begin(transactional(1, 0, 0));
    assertThat(states.lastStableOffset(11)).isEqualTo(10);
    end(2, true, 2);
    states.onHighWatermark(11);
    assertThat(states.lastStableOffset(11)).isEqualTo(10);
    states.onHighWatermark(12);
    assertThat(states.lastStableOffset(12)).isEqualTo(12);
  }

  @Test
  void expiry_spares_open_transactions_and_markers_renew() {
    begin(transactional(0, 0, 0));
    assertThat(states.expire(1000, 100)).isZero();
    states.applyMarker(new Marker(ID, (short) 1, true, 3), nextOffset++, 950);
    assertThat(states.expire(1000, 100)).isZero();
    assertThat(states.expire(1050, 100)).isEqualTo(1);
    assertThat(states.size()).isZero();
    write(batch(1, 77, 77));
  }

  @Test
  void coordinators_write_without_sequences_but_not_with_a_stale_epoch() {
    ProducedBatch internal = new ProducedBatch(ID, (short) 2, -1, -1, true);
    assertThat(states.checkInternal(internal, null).error()).isEqualTo(WireError.INVALID_TXN_STATE);
    TxnGuard guard = states.guardFor(internal, false, 5);
    assertThat(states.checkInternal(internal, guard)).isEqualTo(AppendVerdict.Accept.ACCEPT);
    states.apply(internal, nextOffset++, 0, 0);
    assertThat(states.openCount()).isEqualTo(1);
    ProducedBatch stale = new ProducedBatch(ID, (short) 1, -1, -1, true);
    assertThat(states.checkInternal(stale, null).error())
        .isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
  }
}
