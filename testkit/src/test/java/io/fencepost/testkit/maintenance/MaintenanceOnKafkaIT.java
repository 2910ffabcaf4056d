package io.fencepost.testkit.maintenance;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link MaintenanceBehaviour} on Apache Kafka: proof that the expectations are right. */
@Tag("kafka")
class MaintenanceOnKafkaIT extends MaintenanceBehaviour {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(settings());

  /** Its first look at retention waits for half a minute otherwise. */
  private static SortedMap<String, String> settings() {
    TreeMap<String, String> settings = new TreeMap<>(SETTINGS);
    settings.put("log.initial.task.delay.ms", "100");
    return settings;
  }

  @Override
  String bootstrap() {
    return BROKER.bootstrapServers();
  }
}
