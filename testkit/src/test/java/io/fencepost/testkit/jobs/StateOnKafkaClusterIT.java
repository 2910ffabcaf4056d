package io.fencepost.testkit.jobs;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link StateBehaviour} on three nodes of Apache Kafka, of which one is killed on the way. */
@Tag("kafka")
class StateOnKafkaClusterIT extends StateBehaviour {
  @RegisterExtension
  static final TestBroker CLUSTER =
      TestBroker.kafkaCluster(Map.of(JobBehaviour.SHORTEST_SESSION, "1000")).losesANodeAtTest(4);

  @Override
  String bootstrapServers() {
    return CLUSTER.bootstrapServers();
  }
}
