package io.fencepost.samples.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MetricsEndpointIT {
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
      assertThat(answer.body().lines())
          .allMatch(
              line ->
                  line.startsWith("# ")
                      || line.matches("[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*})? \\S+"));
      assertThatThrownBy(() -> MetricsEndpoint.open(endpoint.port()))
          .isInstanceOf(UsageException.class)
          .hasMessageContaining("--metrics-port " + endpoint.port());
    }
  }
}
