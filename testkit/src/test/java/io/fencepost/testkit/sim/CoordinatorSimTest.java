package io.fencepost.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.ListTransactionsRequest;
import io.fencepost.broker.wire.message.ListTransactionsResponse;
import io.fencepost.testkit.sim.Requests.Identity;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What only shows when time passes, the power fails or the disk refuses: on virtual time. */
class CoordinatorSimTest {
  private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

  private static SimTalk talk() {
    return new SimTalk(0, Map.of());
  }

  private static Identity in(Identity who, int epoch) {
    return new Identity(who.transactionalId(), who.producerId(), (short) epoch);
  }

  @Test
  void listed_durations_are_counted_in_the_coordinators_time_whatever_the_clock_is_set_to() {
    SimTalk on = talk();
    Identity me = on.init(60_000);
    assertThat(on.add(me)).isEqualTo(WireError.NONE);
    on.clock.stepWallMs(3_600_000);
    on.scheduler.runFor(5_000);
    assertThat(on.list(10_000)).isEmpty();
    assertThat(on.list(1_000)).containsExactly("Ongoing");
    on.scheduler.runFor(10_000);
    assertThat(on.list(10_000)).containsExactly("Ongoing");
    on.clock.stepWallMs(-7_200_000);
    assertThat(on.list(10_000)).containsExactly("Ongoing");
    assertThat(on.list(60_000)).isEmpty();
  }

  @Test
  void a_pattern_that_would_fill_the_memory_is_refused() {
    SimTalk on = talk();
    var unused = on.init(60_000);
    ListTransactionsRequest request = new ListTransactionsRequest();
    request.transactionalIdPattern = "((a{1000}){1000}){1000}";
    ListTransactionsResponse answer =
        on.ask(ApiKey.LIST_TRANSACTIONS, 2, request, ListTransactionsResponse.class);
    assertThat(WireError.of(answer.errorCode)).isEqualTo(WireError.INVALID_REGULAR_EXPRESSION);
    request.transactionalIdPattern = "pay.*";
    answer = on.ask(ApiKey.LIST_TRANSACTIONS, 2, request, ListTransactionsResponse.class);
    assertThat(answer.transactionStates).hasSize(1);
  }

  @Test
  void c12_a_transaction_without_data_times_out_also_after_a_restart() {
    SimTalk on = talk();
    Identity me = on.init(20_000);
    assertThat(on.add(me)).isEqualTo(WireError.NONE);
    on.scheduler.runFor(10_000);
    on.restart(true);
    on.scheduler.runFor(5_000);
    assertThat(on.list(-1)).containsExactly("Ongoing");
    on.scheduler.runFor(10_000);
    assertThat(on.list(-1)).containsExactly("CompleteAbort");
    assertThat(on.add(me)).isEqualTo(WireError.PRODUCER_FENCED);
    assertThat(on.reinit(me).producerEpoch).isEqualTo((short) 1);
  }

  @Test
  void c12_a_transaction_that_is_overdue_when_the_broker_starts_is_aborted_at_once() {
    SimTalk on = talk();
    Identity me = on.init(20_000);
    assertThat(on.produce(12, me, 0)).isEqualTo(WireError.NONE);
    on.broker.die(true);
    on.scheduler.runFor(60_000);
    on.restart(false);
    on.scheduler.runFor(100);
    assertThat(on.list(-1)).containsExactly("CompleteAbort");
    assertThat(on.produce(12, me, 1)).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
  }

  @Test
  void an_id_that_expired_while_its_producer_slept_has_no_mapping() {
    SimTalk on =
        new SimTalk(
            0,
            Map.of(
                "transactional.id.expiration.ms", "60000",
                "transaction.remove.expired.transaction.cleanup.interval.ms", "10000"));
    Identity me = on.init(600_000);
    assertThat(on.add(me)).isEqualTo(WireError.NONE);
    on.scheduler.runFor(100_000);
    assertThat(on.list(-1)).as("an open transaction keeps its id").containsExactly("Ongoing");
    assertThat(on.end(4, me, true).errorCode).isZero();
    on.scheduler.runFor(100_000);
    assertThat(on.list(-1)).isEmpty();
    assertThat(on.add(me)).isEqualTo(WireError.INVALID_PRODUCER_ID_MAPPING);
    assertThat(on.produce(11, me, 0)).isEqualTo(WireError.INVALID_PRODUCER_ID_MAPPING);
    assertThat(on.produce(12, me, 0)).isEqualTo(WireError.INVALID_PRODUCER_ID_MAPPING);
    assertThat(WireError.of(on.end(4, me, true).errorCode))
        .isEqualTo(WireError.INVALID_PRODUCER_ID_MAPPING);
    assertThat(WireError.of(on.end(5, me, false).errorCode))
        .isEqualTo(WireError.INVALID_PRODUCER_ID_MAPPING);
    InitProducerIdResponse again = on.reinit(me);
    assertThat(again.errorCode).isZero();
    assertThat(again.producerId).isGreaterThan(me.producerId());
    on.restart(true);
    on.scheduler.runFor(1_000);
    assertThat(on.list(-1)).containsExactly("Empty");
  }

  @Test
  void the_transaction_after_one_whose_completion_the_power_took_is_not_refused() {
    for (int lagMs = 1; lagMs <= 40; lagMs++) {
      SimTalk on = new SimTalk(lagMs, Map.of());
      Identity me = on.init(60_000);
      assertThat(on.produce(12, me, 0)).isEqualTo(WireError.NONE);
      Identity next = SimTalk.next(on.end(5, me, true));
      on.restart(true);
      WireError error = on.produce(12, next, 0);
      for (int tries = 0; tries < 100 && error.isRetriable(); tries++) {
        on.scheduler.runFor(1);
        error = on.produce(12, next, 0);
      }
      assertThat(error).as("lag %d ms", lagMs).isEqualTo(WireError.NONE);
      assertThat(SimTalk.next(on.end(5, next, true)).epoch()).isEqualTo((short) 2);
    }
  }

  @Test
  void c7_the_next_transaction_never_meets_the_one_before() {
    for (int lagMs = 0; lagMs <= 40; lagMs += 4) {
      SimTalk on = new SimTalk(lagMs, Map.of());
      Identity me = on.init(60_000);
      for (int i = 0; i < 4; i++) {
        assertThat(on.produce(12, me, 0)).as("lag %d ms", lagMs).isEqualTo(WireError.NONE);
        me = SimTalk.next(on.end(5, me, i % 2 == 0));
      }
      for (int i = 0; i < 4; i++) {
        assertThat(on.add(me)).as("lag %d ms", lagMs).isEqualTo(WireError.NONE);
        assertThat(on.produce(11, me, i)).as("lag %d ms", lagMs).isEqualTo(WireError.NONE);
        assertThat(on.end(4, me, i % 2 == 0).errorCode).isZero();
      }
    }
  }

  @Test
  void a_refused_write_of_the_coordinator_leaves_nothing_busy() {
    SimTalk on = talk();
    Identity me = on.init(60_000);
    assertThat(on.produce(12, me, 0)).isEqualTo(WireError.NONE);
    for (int i = 0; i < 3; i++) {
      on.broker.disk().failNextAppend();
      assertThat(WireError.of(on.end(5, me, true).errorCode).isRetriable()).isTrue();
      on.broker.disk().failNextForce();
      assertThat(WireError.of(on.end(5, me, true).errorCode).isRetriable()).isTrue();
      on.scheduler.runFor(6_000);
    }
    Identity next = SimTalk.next(on.end(5, me, true));
    assertThat(next.epoch()).isEqualTo((short) 1);
    assertThat(on.produce(12, next, 0)).isEqualTo(WireError.NONE);
    assertThat(on.init(60_000).epoch())
        .as("raised once by the abort, once by init")
        .isEqualTo((short) 3);
  }

  @Test
  void c2_the_epochs_of_a_producer_id_run_out_by_init_and_another_id_goes_on() {
    SimTalk on = talk();
    Identity me = on.init(60_000);
    for (int epoch = 1; epoch <= LAST_EPOCH; epoch++) {
      InitProducerIdResponse answer = on.reinit(in(me, epoch - 1));
      assertThat(answer.producerEpoch).isEqualTo((short) epoch);
      assertThat(answer.producerId).isEqualTo(me.producerId());
    }
    Identity last = in(me, LAST_EPOCH);
    assertThat(on.produce(12, last, 0)).isEqualTo(WireError.NONE);
    assertThat(on.end(4, last, true).errorCode).isZero();
    InitProducerIdResponse fresh = on.reinit(last);
    assertThat(fresh.producerEpoch).isZero();
    assertThat(fresh.producerId).isNotEqualTo(me.producerId());
    assertThat(on.reinit(last).producerId).as("asked again").isEqualTo(fresh.producerId);
    assertThat(on.add(last)).isEqualTo(WireError.INVALID_PRODUCER_ID_MAPPING);
    on.restart(true);
    on.scheduler.runFor(1_000);
    assertThat(on.reinit(last).producerId).as("after a restart").isEqualTo(fresh.producerId);
    Identity now = new Identity(SimTalk.ID, fresh.producerId, (short) 0);
    assertThat(on.produce(12, now, 0)).isEqualTo(WireError.NONE);
    assertThat(SimTalk.next(on.end(5, now, true)).epoch()).isEqualTo((short) 1);
  }

  @Test
  void c2_the_epochs_of_a_producer_id_run_out_by_ends_and_the_answer_names_the_next_id() {
    SimTalk on = talk();
    Identity me = on.init(60_000);
    for (int epoch = 1; epoch <= LAST_EPOCH; epoch++) {
      Identity ended = SimTalk.next(on.end(5, in(me, epoch - 1), false));
      assertThat(ended).isEqualTo(in(me, epoch));
    }
    Identity last = in(me, LAST_EPOCH);
    assertThat(on.produce(12, last, 0)).isEqualTo(WireError.NONE);
    Identity fresh = SimTalk.next(on.end(5, last, true));
    assertThat(fresh.epoch()).isZero();
    assertThat(fresh.producerId()).isNotEqualTo(me.producerId());
    assertThat(SimTalk.next(on.end(5, last, true))).as("asked again").isEqualTo(fresh);
    assertThat(WireError.of(on.end(5, last, false).errorCode))
        .isEqualTo(WireError.INVALID_TXN_STATE);
    assertThat(on.produce(12, last, 1)).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    on.restart(true);
    on.scheduler.runFor(1_000);
    assertThat(SimTalk.next(on.end(5, last, true))).as("after a restart").isEqualTo(fresh);
    assertThat(on.produce(12, fresh, 0)).isEqualTo(WireError.NONE);
  }

  @Test
  void a_producer_that_was_too_slow_in_its_last_epoch_gets_another_id() {
    SimTalk on = talk();
    Identity me = on.init(20_000);
    for (int epoch = 1; epoch <= LAST_EPOCH; epoch++) {
      assertThat(on.reinit(in(me, epoch - 1)).errorCode).isZero();
    }
    Identity last = in(me, LAST_EPOCH);
    assertThat(on.produce(12, last, 0)).isEqualTo(WireError.NONE);
    on.scheduler.runFor(80_000);
    assertThat(on.list(-1)).containsExactly("CompleteAbort");
    assertThat(on.produce(12, last, 1)).isEqualTo(WireError.INVALID_PRODUCER_EPOCH);
    InitProducerIdResponse again = on.reinit(last);
    assertThat(WireError.of(again.errorCode)).isEqualTo(WireError.NONE);
    assertThat(again.producerEpoch).isZero();
    assertThat(again.producerId).isNotEqualTo(me.producerId());
  }
}
