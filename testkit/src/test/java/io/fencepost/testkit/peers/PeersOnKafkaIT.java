package io.fencepost.testkit.peers;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link PeerBehaviour} on Apache Kafka: proof that the expectations are right. */
@Tag("kafka")
class PeersOnKafkaIT extends PeerBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(SETTINGS);

  @Override
  public String bootstrap() {
    return BROKER.bootstrapServers();
  }
}
