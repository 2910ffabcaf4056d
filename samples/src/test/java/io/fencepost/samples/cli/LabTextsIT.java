package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the labs about logs and failovers print is the same in every run. */
class LabTextsIT {
  /** {@code -Dfencepost.rewrite=true} writes the texts anew; review them as a diff. */
  @ParameterizedTest
  @CsvSource({
    "leader-failure, leader-failure-1",
    "leader-failure --acks all, leader-failure-all",
    "leader-failure --acks all --min-isr 1, leader-failure-all-1",
    "coordinator-failover, coordinator-failover",
    "transaction, transaction",
    "hanging, hanging",
  })
  void a_lab_prints_what_is_written_down(String words, String file) throws IOException {
    Ran ran = Ran.of(("lab " + words).split(" "));
    Path golden = Path.of("src/test/resources/labs").resolve(file + ".txt");
    if (Boolean.getBoolean("fencepost.rewrite")) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, ran.out());
    }
    assertThat(ran.out()).isEqualToNormalizingNewlines(Files.readString(golden));
    assertThat(ran.code()).as("%s%n%s", ran.out(), ran.err()).isZero();
  }

  @Test
  void a_lab_says_the_same_as_json() throws IOException {
    Ran ran = Ran.of("lab", "leader-failure", "-o", "json");
    JsonNode report = new ObjectMapper().readTree(ran.out());
    assertThat(report.path("passed").asBoolean()).isTrue();
    assertThat(report.path("timeline").get(2).path("answer").asText())
        .isEqualTo("acknowledged, offset 1");
    assertThat(report.path("on_apache_kafka")).isNotEmpty();
  }
}
