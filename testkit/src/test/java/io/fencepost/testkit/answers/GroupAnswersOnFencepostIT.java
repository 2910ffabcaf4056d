package io.fencepost.testkit.answers;

import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link GroupAnswers} from Fencepost. */
class GroupAnswersOnFencepostIT extends GroupAnswers {
  private static FencepostServer server;

  @BeforeAll
  static void startServer() {
    FencepostConfig.Builder config = FencepostConfig.builder();
    settings().forEach(config::set);
    server = FencepostServer.start(config.build());
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  public String bootstrapServers() {
    return server.bootstrapServers();
  }
}
