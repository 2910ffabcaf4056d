package io.fencepost.testkit.answers;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link KafkaAnswers} from Apache Kafka itself: proof that the expectations are right. */
class AnswersOnKafkaIT extends KafkaAnswers {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(settings());

  @Override
  public String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
