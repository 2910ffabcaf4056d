package io.fencepost.testkit.answers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link GroupAnswers} from Apache Kafka itself: proof that the expectations are right. */
class GroupAnswersOnKafkaIT extends GroupAnswers {
  private static @Nullable ReferenceKafka kafka;

  @BeforeAll
  static void startKafka() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    SortedMap<String, String> settings = settings();
    settings.put("group.consumer.assignor.offload.enable", "false");
    kafka = ReferenceKafka.startFresh(settings);
  }

  @AfterAll
  static void stopKafka() {
    if (kafka != null) {
      kafka.close();
    }
  }

  @Override
  public String bootstrapServers() {
    if (kafka == null) {
      throw new IllegalStateException("not started");
    }
    return kafka.bootstrapServers();
  }
}
