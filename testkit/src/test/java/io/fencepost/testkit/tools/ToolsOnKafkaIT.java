package io.fencepost.testkit.tools;

import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.testkit.tour.Tour;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link KafkaTools} on Apache Kafka itself: proof that the tour tells the truth. */
@Tag("kafka")
class ToolsOnKafkaIT extends KafkaTools {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(Map.of());

  @Override
  Tour.Broker broker() {
    return Tour.Broker.KAFKA;
  }

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
