package io.fencepost.samples.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ClusterCommandsOnKafkaIT extends ClusterCommands {
  private static @Nullable ReferenceKafka kafka;

  @BeforeAll
  static void start() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    kafka = ReferenceKafka.startFresh(Map.of());
  }

  @AfterAll
  static void stop() {
    if (kafka != null) {
      kafka.close();
    }
  }

  @Override
  String bootstrap() {
    ReferenceKafka started = kafka;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started.bootstrapServers();
  }
}
