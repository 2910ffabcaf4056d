package io.fencepost.testkit.jobs;

import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link JobBehaviour} on Fencepost. */
class JobOnFencepostIT extends JobBehaviour {
  private static @Nullable FencepostServer server;

  @BeforeAll
  static void startServer() {
    server = FencepostServer.start(FencepostConfig.builder().set(SHORTEST_SESSION, "1000").build());
  }

  @AfterAll
  static void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  String bootstrapServers() {
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server.bootstrapServers();
  }
}
