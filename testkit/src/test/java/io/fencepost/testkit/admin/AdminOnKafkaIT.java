package io.fencepost.testkit.admin;

import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.testkit.tour.Tour;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link AdminBehaviour} on Apache Kafka itself: proof that the tour tells the truth. */
@Tag("kafka")
class AdminOnKafkaIT extends AdminBehaviour {
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
