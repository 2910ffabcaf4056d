package io.fencepost.testkit.admin;

import io.fencepost.testkit.tour.Tour;
import io.fencepost.txn.main.FencepostServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link AdminBehaviour} on Fencepost. */
class AdminOnFencepostIT extends AdminBehaviour {
  private static FencepostServer server;

  @BeforeAll
  static void startServer() {
    server = FencepostServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  Tour.Broker broker() {
    return Tour.Broker.FENCEPOST;
  }

  @Override
  String bootstrapServers() {
    return server.bootstrapServers();
  }
}
