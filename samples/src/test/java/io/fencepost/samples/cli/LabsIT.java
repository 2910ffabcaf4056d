package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every lab shows on an embedded broker what it is there to show. */
class LabsIT {
  @ParameterizedTest
  @ValueSource(strings = {"exact-retry", "zombie", "delivery-order"})
  void a_lab_holds_its_claims(String lab) {
    Ran ran = Ran.of("lab", lab);
    assertThat(ran.code()).as("%s%n%s", ran.out(), ran.err()).isZero();
    assertThat(ran.out())
        .contains("checks hold", "unit ", "isolation ", "acknowledgement ", "not covered ")
        .doesNotContain("FAILED");
  }

  @Test
  void with_idempotence_lost_answers_leave_no_duplicates() throws IOException {
    JsonNode figures = forcedRetry("true");
    assertThat(figures.at("/reads_dropped").asLong()).isPositive();
    assertThat(figures.at("/duplicates").asLong()).isZero();
    assertThat(figures.at("/log_delta").asLong()).isEqualTo(40);
  }

  @Test
  void without_idempotence_each_lost_answer_leaves_a_duplicate() throws IOException {
    JsonNode figures = forcedRetry("false");
    assertThat(figures.at("/reads_dropped").asLong()).isPositive();
    assertThat(figures.at("/duplicates").asLong()).isEqualTo(figures.at("/reads_dropped").asLong());
  }

  @Test
  void a_lab_that_lost_nothing_claims_nothing() {
    Ran ran = Ran.of("lab", "forced-retry", "--messages", "5", "--drop-rate", "0");
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).contains("vacuous a retry adds nothing to the log", "1 of 2 checks hold");
  }

  private static JsonNode forcedRetry(String idempotent) throws IOException {
    Ran ran =
        Ran.of("lab", "forced-retry", "--messages", "40", "--idempotent", idempotent, "-o", "json");
    assertThat(ran.code()).as("%s%n%s", ran.out(), ran.err()).isZero();
    return new ObjectMapper().readTree(ran.out()).at("/figures");
  }
}
