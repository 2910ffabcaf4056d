package io.fencepost.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import io.fencepost.testkit.sim.Requests.Identity;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an offline check says of coordinators, without a disk. */
class CheckSimTest {
  private final SimTalk on = new SimTalk(0, Map.of("transaction.state.log.num.partitions", "1"));

  private Identity withOpenTransaction() {
    Identity me = on.init(60_000);
    assertThat(on.add(me)).isEqualTo(WireError.NONE);
    assertThat(on.produce(9, me, 0)).isEqualTo(WireError.NONE);
    return me;
  }

  @Test
  void an_open_transaction_is_no_damage() {
    withOpenTransaction();
    assertThat(on.damage()).isEmpty();
  }

  @Test
  void a_transaction_that_nobody_will_end_is_named_with_its_producer_and_offset() {
    Identity me = withOpenTransaction();
    assertThat(on.mark(me, 1_000)).as("by a coordinator of the future").isEqualTo(WireError.NONE);
    assertThat(on.produce(9, me, 1)).isEqualTo(WireError.NONE);
    assertThat(on.end(4, me, true).errorCode).isZero();
    assertThat(on.damage())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.file()).isEqualTo("data-0");
              assertThat(found.sentence())
                  .contains("producer " + me.producerId() + ", epoch 0")
                  .contains("open since offset 2", "no transactional id", "fencepost txn abort");
            });
  }

  @Test
  void rows_of_more_than_the_log_holds_are_named() {
    withOpenTransaction();
    on.broker.flushTables();
    String log = "__transaction_state-0/00000000000000000000.log";
    on.broker.disk().open(log).truncate(0);
    assertThat(on.damage())
        .anySatisfy(
            found ->
                assertThat(found.toString())
                    .startsWith("rows: the rows of __transaction_state-0 hold everything up to")
                    .endsWith("its log ends at 0"));
  }
}
