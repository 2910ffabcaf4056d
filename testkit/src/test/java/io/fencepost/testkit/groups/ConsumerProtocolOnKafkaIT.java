package io.fencepost.testkit.groups;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link ConsumerProtocolBehaviour} on Apache Kafka: proof that the expectations are right. */
class ConsumerProtocolOnKafkaIT extends ConsumerProtocolBehaviour {
  private static @Nullable ReferenceKafka kafka;

  @BeforeAll
  static void startKafka() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    kafka = ReferenceKafka.startFresh(SETTINGS);
  }

  @AfterAll
  static void stopKafka() {
    if (kafka != null) {
      kafka.close();
    }
  }

  @Override
  String bootstrap() {
    if (kafka == null) {
      throw new IllegalStateException("not started");
    }
    return kafka.bootstrapServers();
  }
}
