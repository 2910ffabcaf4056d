package io.fencepost.txn.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.txn.txn.ProducerIdentity;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnEvent;
import io.fencepost.txn.txn.TxnState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final SimClock clock = new SimClock();
  private final List<String> notices = new ArrayList<>();
  private final Refusals refusals = new Refusals(clock, notices::add);

  @Test
  void a_refusal_names_who_asked_for_what_and_what_was_found() {
    ProducerIdentity now = new ProducerIdentity(7, (short) 6);
    ProducerIdentity before = new ProducerIdentity(7, (short) 5);
    TxnEntry entry =
        new TxnEntry(
            "payments-1",
            now,
            before,
            -1,
            60_000,
            TxnState.COMPLETE_ABORT,
            new TreeSet<TopicPartition>(),
            1_000,
            61_000,
            2);
    refusals.refused("payments-1", new TxnEvent.End(before, true, 2), entry);
    assertThat(notices).hasSize(1);
    assertThat(notices.get(0))
        .contains("payments-1", "INVALID_TXN_STATE", "commit=true", "7/5", "7/6")
        .contains("CompleteAbort", "begun at 1000", "changed at 61000", "timeout 60000 ms");
  }

  @Test
  void a_client_that_goes_on_and_on_does_not_flood_the_log() {
    for (int i = 0; i < 500; i++) {
      refusals.tell("refused");
    }
    assertThat(notices).containsExactly("refused");
    clock.advanceMs(1_000);
    refusals.tell("refused");
    refusals.tell("refused");
    assertThat(notices).hasSize(2);
    assertThat(notices.get(1)).isEqualTo("refused (and 499 more since the last notice)");
  }
}
