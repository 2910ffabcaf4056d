package io.fencepost.testkit.jobs;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link RestartBehaviour} on Apache Kafka. */
@Tag("kafka")
class RestartOnKafkaIT extends RestartBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(Map.of());

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
