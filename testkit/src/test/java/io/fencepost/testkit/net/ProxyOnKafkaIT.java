package io.fencepost.testkit.net;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProxyOnKafkaIT extends ProxyBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(Map.of());

  @Override
  String upstream() {
    return BROKER.bootstrapServers();
  }
}
