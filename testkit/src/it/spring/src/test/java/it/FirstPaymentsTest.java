package it;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.junit.Fencepost;
import io.fencepost.testkit.junit.TestCluster;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.kafka.core.KafkaTemplate;

/** One of two, of equal configuration: each has a context for its own cluster. */
@SpringBootTest(properties = "spring.kafka.consumer.auto-offset-reset=earliest")
@Fencepost(
    topics = {"payments", "charges"},
    bootstrapProperty = "spring.kafka.bootstrap-servers")
class FirstPaymentsTest {
  @Autowired KafkaTemplate<String, String> template;

  @Value("${spring.kafka.bootstrap-servers}")
  String servers;

  @Test
  void the_listener_charges_what_the_template_sent(TestCluster cluster) {
    assertThat(servers).isEqualTo(cluster.bootstrapServers());
    template.send("payments", "of First").join();
    assertThat(cluster.awaitCommitted("charges", 1))
        .extracting(ConsumerRecord::value)
        .containsExactly("charged of First");
    cluster.awaitLag("charger", 0);
  }

  @Nested
  class Inside {
    @Test
    void is_the_same_cluster(TestCluster cluster) {
      assertThat(servers).isEqualTo(cluster.bootstrapServers());
    }
  }
}
