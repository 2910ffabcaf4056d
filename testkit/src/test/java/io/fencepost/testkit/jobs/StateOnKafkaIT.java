package io.fencepost.testkit.jobs;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link StateBehaviour} on Apache Kafka. */
@Tag("kafka")
class StateOnKafkaIT extends StateBehaviour {
  @RegisterExtension
  static final TestBroker BROKER = TestBroker.kafka(Map.of(JobBehaviour.SHORTEST_SESSION, "1000"));

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
