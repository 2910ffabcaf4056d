package io.fencepost.testkit.answers;

import io.fencepost.testkit.brokers.TestBroker;
import java.util.SortedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link GroupAnswers} from Apache Kafka itself: proof that the expectations are right. */
@Tag("kafka")
class GroupAnswersOnKafkaIT extends GroupAnswers {
  @RegisterExtension static final TestBroker BROKER = TestBroker.kafka(atOnce());

  @Override
  public String bootstrapServers() {
    return BROKER.bootstrapServers();
  }

  /** What Kafka does in other threads otherwise, so that answers come late. */
  private static SortedMap<String, String> atOnce() {
    SortedMap<String, String> settings = settings();
    settings.put("group.consumer.assignor.offload.enable", "false");
    settings.put("offsets.topic.num.partitions", "1");
    return settings;
  }
}
