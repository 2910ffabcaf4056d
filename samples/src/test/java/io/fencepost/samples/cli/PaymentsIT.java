package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job on an embedded broker, from the command line to the verdict. */
class PaymentsIT {
  @Test
  void generated_payments_are_charged_exactly_once() throws IOException {
    JsonNode report = passing("--rows", "3000", "--redeliver", "0.2", "--workers", "2");
    assertThat(report.at("/figures/rows").asLong()).isEqualTo(3_000);
    assertThat(report.at("/figures/redelivered").asLong()).isPositive();
    assertThat(report.at("/figures/wrongly_dropped").asLong()).isZero();
    assertThat(report.at("/figures/transactions").asLong()).isPositive();
    assertThat(report.at("/guarantee").asText()).contains("exactly once").contains("not covered");
  }

  @Test
  void bad_rows_become_dead_letters_and_good_ones_are_charged(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("bad.csv");
    String rows =
        """
        payment_date,transaction_number,net_amount_gbp,supplier,service_area,expenses_type
        2021-01-04,1,10.10,"A, B Ltd",Leisure,Staff
        2021-01-04,1,10.10,"A, B Ltd",Leisure,Staff
        2021-01-04,2,-0.10,C Ltd,Leisure,Staff
        2021-13-04,3,10.10,C Ltd,Leisure,Staff
        2021-01-04,4,ten,C Ltd,Leisure,Staff
        2021-01-04,5,10.10,C Ltd,Leisure
        2021-01-04,6,10.10,"C Ltd,Leisure,Staff

        """;
    Files.writeString(file, "\uFEFF" + rows.replace("\n", "\r\n"));
    JsonNode figures = passing("--input", file.toString(), "--redeliver", "0").at("/figures");
    assertThat(figures.at("/accepted").asLong()).isEqualTo(2);
    assertThat(figures.at("/accepted_gbp").asText()).isEqualTo("10.00");
    assertThat(figures.at("/duplicates_in_input").asLong()).isEqualTo(1);
    assertThat(figures.at("/dead_letters").asLong()).isEqualTo(4);
  }

  /** The published answers; takes about half a minute, so not part of every build. */
  @Test
  @Tag("soak")
  void three_years_of_a_citys_payments_give_the_published_answers() throws IOException {
    Path directory =
        Path.of(System.getProperty("fencepost.root", "..")).resolve("../shared/data").normalize();
    assumeTrue(Files.isDirectory(directory), "no payment files at " + directory);
    List<String> arguments = new ArrayList<>(List.of("--workers", "2", "--input"));
    try (Stream<Path> files = Files.list(directory)) {
      files.map(Path::toString).filter(f -> f.endsWith(".csv")).sorted().forEach(arguments::add);
    }
    JsonNode figures = passing(arguments.toArray(String[]::new)).at("/figures");
    assertThat(figures.at("/accepted").asLong()).isEqualTo(107_143);
    assertThat(figures.at("/accepted_gbp").asText()).isEqualTo("2454116581.74");
    assertThat(figures.at("/duplicates_in_input").asLong()).isEqualTo(3_462);
  }

  private static JsonNode passing(String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("payments", "-o", "json"));
    arguments.addAll(List.of(options));
    Ran ran = Ran.of(arguments.toArray(String[]::new));
    assertThat(ran.code()).as("%s%n%s", ran.out(), ran.err()).isZero();
    JsonNode report = new ObjectMapper().readTree(ran.out());
    assertThat(report.at("/passed").asBoolean()).isTrue();
    assertThat(report.at("/findings")).hasSize(5);
    return report;
  }
}
