package io.fencepost.testkit.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.testkit.tour.Tour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link KafkaTools} on Fencepost. */
class ToolsOnFencepostIT extends KafkaTools {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(Map.of());

  @Test
  void each_api_is_served_or_listed_as_omitted() throws IOException {
    Path libraries = ReferenceKafka.libraries().orElse(null);
    assumeTrue(libraries != null, "Apache Kafka's jars are not in reference-kafka/target");
    TreeSet<String> served = new TreeSet<>();
    TreeSet<String> missing = new TreeSet<>();
    try (Tools tools = new Tools(libraries, bootstrapServers())) {
      Pattern api = Pattern.compile("([A-Za-z]+)\\([0-9]+\\): (UNSUPPORTED)?.*");
      for (String line : tools.run("kafka-broker-api-versions", List.of())) {
        Matcher matcher = api.matcher(line.strip());
        if (matcher.matches()) {
          (matcher.group(2) == null ? served : missing).add(matcher.group(1));
        }
      }
    }
    assertThat(served).contains("Produce", "Fetch", "EndTxn", "JoinGroup");
    assertThat(OmittedApis.mentioned()).containsAll(missing);
    assertThat(OmittedApis.listed()).doesNotContainAnyElementsOf(served);
  }

  @Override
  Tour.Broker broker() {
    return Tour.Broker.FENCEPOST;
  }

  @Override
  String bootstrapServers() {
    return BROKER.bootstrapServers();
  }
}
