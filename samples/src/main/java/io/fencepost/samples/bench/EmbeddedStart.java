package io.fencepost.samples.bench;

import io.fencepost.txn.main.FencepostServer;
import java.util.ArrayList;
import java.util.List;

/**
 * Start of the embedded broker inside this JVM up to the first committed transaction, the client's
 * own set-up included, as a test pays for it.
 */
final class EmbeddedStart {
  private static final int WARM_UPS = 5;

  private EmbeddedStart() {}

  /** Milliseconds of each start, after a few that are not counted. */
  static List<Double> run(int starts) throws Exception {
    Workload workload = new TransactionWorkload(1);
    List<Double> millis = new ArrayList<>();
    for (int i = -WARM_UPS; i < starts; i++) {
      long begin = System.nanoTime();
      try (FencepostServer server = FencepostServer.start();
          Workload.Session session = workload.open(server.bootstrapServers())) {
        session.run(1, new Latencies());
        if (i >= 0) {
          millis.add((System.nanoTime() - begin) / 1e6);
        }
      }
    }
    return millis;
  }
}
