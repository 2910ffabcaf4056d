package io.fencepost.testkit.net;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProxyOnFencepostIT extends ProxyBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(Map.of());

  @Override
  String upstream() {
    return BROKER.bootstrapServers();
  }
}
