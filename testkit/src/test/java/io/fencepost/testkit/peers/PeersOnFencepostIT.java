package io.fencepost.testkit.peers;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link PeerBehaviour} on Fencepost. */
class PeersOnFencepostIT extends PeerBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(SETTINGS);

  @Override
  public String bootstrap() {
    return BROKER.bootstrapServers();
  }
}
