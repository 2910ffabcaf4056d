package io.fencepost.testkit.junit;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("kafka")
class LogScriptOnKafkaIT implements LogScriptBehaviour {
  @RegisterExtension static final TestBroker KAFKA = TestBroker.kafka(Map.of());

  private final TestCluster cluster = TestCluster.at(KAFKA.bootstrapServers());

  @Override
  public TestCluster cluster() {
    return cluster;
  }

  @AfterEach
  void close() {
    cluster.close();
  }
}
