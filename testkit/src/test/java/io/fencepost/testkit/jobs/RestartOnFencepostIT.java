package io.fencepost.testkit.jobs;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link RestartBehaviour} on Fencepost. */
class RestartOnFencepostIT extends RestartBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(Map.of());

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
