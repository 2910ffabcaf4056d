package io.fencepost.testkit.jobs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link JobBehaviour} on Apache Kafka. */
class JobOnKafkaIT extends JobBehaviour {
  private static @Nullable ReferenceKafka kafka;

  @BeforeAll
  static void startKafka() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    kafka = ReferenceKafka.startFresh(Map.of(SHORTEST_SESSION, "1000"));
  }

  @AfterAll
  static void stopKafka() {
    if (kafka != null) {
      kafka.close();
    }
  }

  @Override
  String bootstrapServers() {
    if (kafka == null) {
      throw new IllegalStateException("not started");
    }
    return kafka.bootstrapServers();
  }
}
