package io.fencepost.testkit.groups;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link ConsumerProtocolBehaviour} on Fencepost. */
class ConsumerProtocolOnFencepostIT extends ConsumerProtocolBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(SETTINGS);

  @Override
  String bootstrap() {
    return BROKER.bootstrapServers();
  }
}
