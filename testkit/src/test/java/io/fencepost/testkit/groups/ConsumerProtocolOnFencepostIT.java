package io.fencepost.testkit.groups;

import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link ConsumerProtocolBehaviour} on Fencepost. */
class ConsumerProtocolOnFencepostIT extends ConsumerProtocolBehaviour {
  private static FencepostServer server;

  @BeforeAll
  static void startServer() {
    FencepostConfig.Builder config = FencepostConfig.builder();
    SETTINGS.forEach(config::set);
    server = FencepostServer.start(config.build());
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  String bootstrap() {
    return server.bootstrapServers();
  }
}
