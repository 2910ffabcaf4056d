package io.fencepost.testkit.maintenance;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link MaintenanceBehaviour} on Fencepost. */
class MaintenanceOnFencepostIT extends MaintenanceBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(SETTINGS);

  @Override
  String bootstrap() {
    return BROKER.bootstrapServers();
  }
}
