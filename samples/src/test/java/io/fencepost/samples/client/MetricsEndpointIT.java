package io.fencepost.samples.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MetricsEndpointIT {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-z_]+)(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*})? (\\S+)");

  @Test
  void prometheus_reads_the_meters_of_a_running_broker() throws Exception {
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(0);
        EmbeddedBroker broker = EmbeddedBroker.start(0, null, new TreeMap<>(), endpoint.meters());
        Administration connection = Administration.connect(broker.bootstrapServers())) {
      assertThat(connection.await(connection.admin().listTopics().names())).isEmpty();
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://localhost:" + endpoint.port() + "/metrics"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).get().asString().contains("0.0.4");
      assertThat(answer.body())
          .contains("# TYPE fencepost_requests_seconds summary\n")
          .contains("fencepost_requests_seconds_count{api=\"Metadata\"} ")
          .contains("fencepost_transactions_ended_total{outcome=\"committed\"} 0.0\n")
          .contains("# TYPE fencepost_transactions_oldest_age_seconds gauge\n");
      assertThat(samples(answer.body()))
          .containsEntry("fencepost_groups{state=\"Stable\"}", 0.0)
          .containsEntry("fencepost_producer_ids", 0.0)
          .containsKey("fencepost_log_append_seconds_max");
      assertThatThrownBy(() -> MetricsEndpoint.open(endpoint.port()))
          .isInstanceOf(UsageException.class)
          .hasMessageContaining("--metrics-port " + endpoint.port());
    }
  }

  /**
   * Values by name and labels, read as Prometheus reads them: each family once, its lines together
   * under its help and type, no sample twice.
   */
  private static Map<String, Double> samples(String page) {
    Map<String, Double> samples = new TreeMap<>();
    Set<String> families = new TreeSet<>();
    String family = "";
    String type = "";
    assertThat(page).endsWith("\n");
    for (String line : page.lines().toList()) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        family = words[2];
        assertThat(families.add(family)).as(line).isTrue();
        assertThat(words).as("help of " + family).hasSize(4);
      } else if (line.startsWith("# TYPE ")) {
        assertThat(words[2]).isEqualTo(family);
        type = words[3];
        assertThat(type).isIn("gauge", "counter", "summary");
      } else {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        String name = sample.group(1);
        assertThat(name).isIn(type.equals("summary") ? sumAndCount(family) : List.of(family));
        String key = line.substring(0, line.lastIndexOf(' '));
        assertThat(samples.put(key, Double.valueOf(sample.group(4)))).as(line).isNull();
      }
    }
    return samples;
  }

  private static List<String> sumAndCount(String family) {
    return List.of(family + "_sum", family + "_count");
  }
}
