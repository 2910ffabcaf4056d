package io.fencepost.testkit.admin;

import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.testkit.tour.Tour;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link AdminBehaviour} on Fencepost. */
class AdminOnFencepostIT extends AdminBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(Map.of());

  @Override
  Tour.Broker broker() {
    return Tour.Broker.FENCEPOST;
  }

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
