package io.fencepost.testkit.admin;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.testkit.tour.Tour;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link AdminBehaviour} on Apache Kafka itself: proof that the tour tells the truth. */
class AdminOnKafkaIT extends AdminBehaviour {
  private static @Nullable ReferenceKafka kafka;

  @BeforeAll
  static void startKafka() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    kafka = ReferenceKafka.startFresh(Map.of());
  }

  @AfterAll
  static void stopKafka() {
    if (kafka != null) {
      kafka.close();
    }
  }

  @Override
  Tour.Broker broker() {
    return Tour.Broker.KAFKA;
  }

  @Override
  String bootstrapServers() {
    if (kafka == null) {
      throw new IllegalStateException("not started");
    }
    return kafka.bootstrapServers();
  }
}
