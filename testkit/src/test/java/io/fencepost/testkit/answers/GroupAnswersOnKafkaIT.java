package io.fencepost.testkit.answers;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.SortedMap;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link GroupAnswers} from Apache Kafka itself: proof that the expectations are right. */
class GroupAnswersOnKafkaIT extends GroupAnswers {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(atOnce());

  @Override
  public String bootstrapServers() {
    return BROKER.bootstrapServers();
  }

  /** What Kafka does in another thread otherwise, so that answers come late. */
  private static SortedMap<String, String> atOnce() {
    SortedMap<String, String> settings = settings();
    settings.put("group.consumer.assignor.offload.enable", "false");
    return settings;
  }
}
