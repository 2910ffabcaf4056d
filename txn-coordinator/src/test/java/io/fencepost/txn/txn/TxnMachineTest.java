package io.fencepost.txn.txn;

import static io.fencepost.txn.txn.TxnFixtures.A;
import static io.fencepost.txn.txn.TxnFixtures.B;
import static io.fencepost.txn.txn.TxnFixtures.ID;
import static io.fencepost.txn.txn.TxnFixtures.NOW;
import static io.fencepost.txn.txn.TxnFixtures.TIMEOUT;
import static io.fencepost.txn.txn.TxnFixtures.entry;
import static io.fencepost.txn.txn.TxnFixtures.set;
import static io.fencepost.txn.txn.TxnFixtures.who;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import org.junit.jupiter.api.Test;

class TxnMachineTest {
  private final TxnFixtures on = new TxnFixtures();

  private static TxnEvent.Init init(ProducerIdentity claimed) {
    return new TxnEvent.Init(ID, claimed, TIMEOUT);
  }

  @Test
  void a_new_id_starts_at_epoch_zero() {
    assertThat(on.run(null, init(ProducerIdentity.NONE)).known().producer()).isEqualTo(who(100, 0));
  }

  @Test
  void an_identity_of_a_forgotten_id_gets_a_new_one() {
    assertThat(on.run(null, init(who(7, 3))).known().producer()).isEqualTo(who(100, 0));
  }

  @Test
  void a_newcomer_fences_by_the_next_epoch() {
    TxnEntry next = on.run(entry(TxnState.EMPTY, 5, 0), init(ProducerIdentity.NONE)).known();
    assertThat(next.producer()).isEqualTo(who(7, 6));
    assertThat(on.run(next, init(who(7, 5))).error()).isEqualTo(WireError.PRODUCER_FENCED);
  }

  @Test
  void c9_the_owner_asks_twice_and_gets_one_epoch() {
    TxnEntry first = on.run(entry(TxnState.COMPLETE_ABORT, 5, 0), init(who(7, 5))).known();
    TxnEntry second = on.run(first, init(who(7, 5))).known();
    assertThat(first.producer()).isEqualTo(who(7, 6));
    assertThat(second).isEqualTo(first);
  }

  @Test
  void an_epoch_that_was_never_given_out_is_fenced() {
    assertThat(on.run(entry(TxnState.EMPTY, 5, 0), init(who(7, 9))).error())
        .isEqualTo(WireError.PRODUCER_FENCED);
    assertThat(
            on.run(entry(TxnState.ONGOING, 5, 0), new TxnEvent.AddPartitions(who(7, 9), set(B), 0))
                .error())
        .isEqualTo(WireError.PRODUCER_FENCED);
  }

  @Test
  void init_over_an_open_transaction_aborts_with_epoch_plus_one_and_answers_plus_two() {
    TxnEntry next = on.run(entry(TxnState.ONGOING, 5, 2), init(ProducerIdentity.NONE)).known();
    assertThat(on.markers).hasSize(1);
    assertThat(on.markers.get(0).state()).isEqualTo(TxnState.PREPARE_ABORT);
    assertThat(on.markers.get(0).producer()).isEqualTo(who(7, 6));
    assertThat(on.markers.get(0).partitions()).containsExactly(A);
    assertThat(next.producer()).isEqualTo(who(7, 7));
    assertThat(next.state()).isEqualTo(TxnState.EMPTY);
  }

  @Test
  void c10_a_fenced_producer_ends_nothing_while_the_newcomer_has_no_epoch_of_its_own_yet() {
    TxnDecision fence = on.decide(entry(TxnState.ONGOING, 5, 2), init(ProducerIdentity.NONE));
    TxnEntry aborted = on.complete(((TxnDecision.Log) fence).next());
    assertThat(aborted.producer()).isEqualTo(who(7, 6));
    for (boolean commit : new boolean[] {true, false}) {
      assertThat(on.run(aborted, new TxnEvent.End(who(7, 5), commit, 2)).error())
          .isEqualTo(WireError.PRODUCER_FENCED);
    }
    assertThat(on.run(aborted, init(ProducerIdentity.NONE)).known().producer())
        .isEqualTo(who(7, 7));
  }

  @Test
  void a_fence_that_could_not_be_logged_is_not_raised_again() {
    TxnEntry open = entry(TxnState.ONGOING, 5, 2);
    TxnDecision lost = on.decide(open, init(ProducerIdentity.NONE));
    TxnDecision again = on.decide(open, init(ProducerIdentity.NONE));
    assertThat(again).isEqualTo(lost);
  }

  @Test
  void the_owner_over_its_own_open_transaction_goes_on_with_the_epoch_of_the_abort() {
    TxnEntry next = on.run(entry(TxnState.ONGOING, 5, 2), init(who(7, 5))).known();
    assertThat(next.producer()).isEqualTo(who(7, 6));
    assertThat(on.run(next, init(who(7, 5))).known()).isEqualTo(next);
  }

  @Test
  void a_timeout_out_of_range_is_refused_before_anything_else() {
    assertThat(on.run(null, new TxnEvent.Init(ID, ProducerIdentity.NONE, 900_001)).error())
        .isEqualTo(WireError.INVALID_TRANSACTION_TIMEOUT);
    assertThat(on.run(null, new TxnEvent.Init(ID, ProducerIdentity.NONE, 0)).error())
        .isEqualTo(WireError.INVALID_TRANSACTION_TIMEOUT);
  }

  @Test
  void old_ends_keep_the_epoch_and_new_ends_raise_it_in_the_marker_too() {
    TxnEntry old =
        on.run(entry(TxnState.ONGOING, 5, 0), new TxnEvent.End(who(7, 5), true, 0)).known();
    assertThat(old.producer()).isEqualTo(who(7, 5));
    TxnEntry raised =
        on.run(entry(TxnState.ONGOING, 5, 2), new TxnEvent.End(who(7, 5), true, 2)).known();
    assertThat(on.markers.get(1).producer()).isEqualTo(who(7, 6));
    assertThat(raised.producer()).isEqualTo(who(7, 6));
    assertThat(on.run(raised, new TxnEvent.End(who(7, 5), true, 2)).known()).isEqualTo(raised);
    assertThat(on.run(raised, new TxnEvent.End(who(7, 5), false, 2)).error())
        .isEqualTo(WireError.INVALID_TXN_STATE);
  }

  @Test
  void an_end_at_the_last_epoch_goes_on_with_a_new_producer_id() {
    TxnEntry open = entry(TxnState.ONGOING, Short.MAX_VALUE - 1, 2);
    TxnEvent.End end = new TxnEvent.End(open.producer(), true, 2);
    TxnEntry ended = on.run(open, end).known();
    assertThat(on.markers.get(0).producer()).isEqualTo(who(7, Short.MAX_VALUE));
    assertThat(ended.producer()).isEqualTo(who(100, 0));
    assertThat(on.run(ended, end).known()).isEqualTo(ended);
    assertThat(on.run(ended, init(open.producer())).known()).isEqualTo(ended);
  }

  @Test
  void c2_init_at_the_last_epoch_hands_out_a_new_producer_id() {
    TxnEntry full = entry(TxnState.EMPTY, Short.MAX_VALUE - 1, 0);
    assertThat(on.run(full, init(ProducerIdentity.NONE)).known().producer()).isEqualTo(who(100, 0));
    TxnEntry open = entry(TxnState.ONGOING, Short.MAX_VALUE - 1, 0);
    assertThat(on.run(open, init(ProducerIdentity.NONE)).known().producer()).isEqualTo(who(101, 0));
    assertThat(on.markers.get(0).producer().epoch()).isEqualTo(Short.MAX_VALUE);
  }

  @Test
  void c12_a_timed_out_producer_is_fenced_and_its_new_style_commit_is_an_invalid_state() {
    TxnEntry open = entry(TxnState.ONGOING, 5, 2);
    TxnDecision abort = on.machine.decide(open, new TxnEvent.Overdue(), open.deadlineMs());
    TxnEntry ended = on.complete(((TxnDecision.Log) abort).next());
    assertThat(ended.state()).isEqualTo(TxnState.COMPLETE_ABORT);
    assertThat(on.run(ended, new TxnEvent.AddPartitions(who(7, 5), set(B), 0)).error())
        .isEqualTo(WireError.PRODUCER_FENCED);
    assertThat(on.run(ended, new TxnEvent.End(who(7, 5), true, 0)).error())
        .isEqualTo(WireError.PRODUCER_FENCED);
    assertThat(on.run(ended, new TxnEvent.End(who(7, 5), true, 2)).error())
        .isEqualTo(WireError.INVALID_TXN_STATE);
  }

  @Test
  void a_transaction_that_wrote_nothing_ends_and_times_out_like_any_other() {
    TxnEntry open = entry(TxnState.ONGOING, 5, 0);
    assertThat(on.machine.decide(open, new TxnEvent.Overdue(), open.deadlineMs() - 1))
        .isInstanceOf(TxnDecision.Answer.class);
    assertThat(on.machine.decide(open, new TxnEvent.Overdue(), open.deadlineMs()))
        .isInstanceOf(TxnDecision.Log.class);
  }

  @Test
  void an_added_partition_keeps_the_start_of_the_transaction() {
    TxnEntry begun =
        on.run(entry(TxnState.EMPTY, 5, 0), new TxnEvent.AddPartitions(who(7, 5), set(A), 0))
            .known();
    assertThat(begun.startMs()).isEqualTo(NOW);
    TxnDecision.Log more =
        (TxnDecision.Log)
            on.machine.decide(begun, new TxnEvent.AddPartitions(who(7, 5), set(B), 0), NOW + 500);
    assertThat(more.next().startMs()).isEqualTo(NOW);
    assertThat(more.next().partitions()).containsExactly(A, B);
  }

  @Test
  void verify_knows_only_the_ongoing_transaction_of_exactly_this_producer() {
    TxnEntry open = entry(TxnState.ONGOING, 5, 0);
    assertThat(TxnMachine.verify(open, who(7, 5), set(A, B)))
        .containsEntry(A, WireError.NONE)
        .containsEntry(B, WireError.TRANSACTION_ABORTABLE);
    assertThat(TxnMachine.verify(open, who(7, 4), set(A)))
        .containsEntry(A, WireError.PRODUCER_FENCED);
    assertThat(TxnMachine.verify(open, who(8, 5), set(A)))
        .containsEntry(A, WireError.INVALID_PRODUCER_ID_MAPPING);
    assertThat(TxnMachine.verify(null, who(7, 5), set(A)))
        .containsEntry(A, WireError.INVALID_PRODUCER_ID_MAPPING);
    assertThat(TxnMachine.verify(entry(TxnState.COMPLETE_COMMIT, 5, 0), who(7, 5), set(A)))
        .containsEntry(A, WireError.TRANSACTION_ABORTABLE);
  }
}
