package io.fencepost.testkit.jobs;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link JobBehaviour} on Apache Kafka. */
class JobOnKafkaIT extends JobBehaviour {
  @RegisterExtension
  static final TestBroker BROKER = TestBroker.kafka(Map.of(SHORTEST_SESSION, "1000"));

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
