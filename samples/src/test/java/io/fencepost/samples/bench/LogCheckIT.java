package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.txn.main.FencepostServer;
import org.junit.jupiter.api.Test;

class LogCheckIT {
  @Test
  void a_log_that_grew_by_more_or_less_than_was_acknowledged_voids_the_pass() {
    assertThatCode(() -> LogCheck.check("t", 10, 10)).doesNotThrowAnyException();
    assertThatThrownBy(() -> LogCheck.check("t", 9, 10)).hasMessageContaining("void");
    assertThatThrownBy(() -> LogCheck.check("t", 11, 10)).hasMessageContaining("void");
  }

  @Test
  void a_workload_says_how_many_offsets_its_operations_take() throws Exception {
    try (FencepostServer server = FencepostServer.start()) {
      assertGrowth(server, new TransactionWorkload(3));
      assertGrowth(server, ProduceWorkload.asFastAsPossible(100, 50));
    }
  }

  private static void assertGrowth(FencepostServer server, Workload workload) throws Exception {
    try (Workload.Session session = workload.open(server.bootstrapServers());
        LogCheck log = new LogCheck(server.bootstrapServers(), workload.topic())) {
      session.run(workload.operationsPerPass(), new Latencies());
      long grown = (long) workload.operationsPerPass() * workload.offsetsPerOperation();
      log.grewBy(grown, 0);
      session.run(1, new Latencies());
      assertThatThrownBy(() -> log.grewBy(workload.offsetsPerOperation(), 0))
          .isInstanceOf(IllegalStateException.class);
      log.grewBy(workload.offsetsPerOperation(), grown);
    }
  }
}
