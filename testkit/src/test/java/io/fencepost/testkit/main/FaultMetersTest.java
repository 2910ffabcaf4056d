package io.fencepost.testkit.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class FaultMetersTest {
  @Test
  void what_passes_and_what_fires_is_counted_by_point_and_action() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Faults faults =
        Faults.of(FaultPlan.parse("EndTxn%2:answer-lost; kill job@EndTxn#3"), new SimClock())
            .observedBy(FaultMeters.on(registry));
    for (int i = 0; i < 5; i++) {
      faults.decide(FaultPoints.of(ApiKey.END_TXN), FaultFacts.NONE);
    }
    assertThat(registry.get("fencepost.faults.passed").tag("point", "EndTxn").counter().count())
        .isEqualTo(5);
    assertThat(
            registry.get("fencepost.faults.fired").tag("action", "answer-lost").counter().count())
        .isEqualTo(2);
    assertThat(registry.get("fencepost.faults.fired").tag("action", "kill job").counter().count())
        .isEqualTo(1);
  }
}
