package io.fencepost.samples.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void figures_stand_to_the_right_and_words_to_the_left() {
    assertThat(new Table("WHO", "COUNT").row("a", "1,000").row("bbbb", "7"))
        .hasToString("WHO   COUNT\na     1,000\nbbbb      7\n");
  }

  @Test
  void a_table_becomes_objects_named_by_its_headings() {
    assertThat(new Table("WHO", "LOG END").row("a", "1").toObjects().toString())
        .isEqualTo("[{who=a, log_end=1}]");
  }

  @Test
  void a_row_must_fit_the_headings() {
    Table table = new Table("A", "B");
    assertThatThrownBy(() -> table.row("x")).hasMessageContaining("1 cells under [A, B]");
  }

  @Test
  void facts_keep_money_exact_in_json() {
    Facts facts = new Facts().add("client SENT", 1_200).add("sum", new BigDecimal("2541601884.57"));
    assertThat(Json.text(facts.toObject()))
        .isEqualToNormalizingNewlines(
            """
            {
              "client_sent" : 1200,
              "sum" : "2541601884.57"
            }\
            """);
    assertThat(facts)
        .hasToString("METRIC       VALUE\nclient SENT  1,200\nsum          2,541,601,884.57\n");
  }
}
