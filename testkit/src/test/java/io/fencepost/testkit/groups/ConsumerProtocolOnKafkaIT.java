package io.fencepost.testkit.groups;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link ConsumerProtocolBehaviour} on Apache Kafka: proof that the expectations are right. */
@Tag("kafka")
class ConsumerProtocolOnKafkaIT extends ConsumerProtocolBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(SETTINGS);

  @Override
  String bootstrap() {
    return BROKER.bootstrapServers();
  }
}
