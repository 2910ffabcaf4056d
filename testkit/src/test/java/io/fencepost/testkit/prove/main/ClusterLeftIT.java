package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.net.FaultProxy;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterLeftIT {
  @ParameterizedTest
  @ValueSource(strings = {"ListTransactions", "ListGroups"})
  void what_a_broker_does_not_tell_is_a_gap(String request) {
    FaultPlan plan = FaultPlan.parse(request + "#1:answered=COORDINATOR_LOAD_IN_PROGRESS");
    try (FencepostServer server = FencepostServer.start(FencepostConfig.builder().port(0).build());
        FaultProxy proxy = FaultProxy.start(server.bootstrapServers(), plan)) {
      ClusterLeft left =
          ClusterLeft.read(
              proxy.bootstrapServers(),
              new ClusterLeft.Limits(10, Duration.ofMinutes(1), 0),
              (key, value) -> "");
      assertThat(left.gaps())
          .containsExactly(
              "Groups and transactional ids of broker 1 are not told: the broker says"
                  + " COORDINATOR_LOAD_IN_PROGRESS.");
    }
  }
}
