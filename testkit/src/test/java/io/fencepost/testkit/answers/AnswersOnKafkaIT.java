package io.fencepost.testkit.answers;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link KafkaAnswers} from Apache Kafka itself: proof that the expectations are right. */
class AnswersOnKafkaIT extends KafkaAnswers {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(Map.of());

  @Override
  public String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
