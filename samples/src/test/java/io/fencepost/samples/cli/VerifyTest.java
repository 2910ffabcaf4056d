package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories in files, and what {@code fencepost verify} says of them. */
class VerifyTest {
  private static final Path HISTORIES = Path.of("src/test/resources/verify");

  /** {@code -Dfencepost.rewrite=true} writes the texts anew; review them as a diff. */
  @ParameterizedTest
  @CsvSource({
    "clients.jsonl, clients, 0, table",
    "torn-transaction.jsonl, torn-transaction, 1, table",
    "torn-transaction.jsonl, torn-transaction-json, 1, json",
    "damaged.jsonl, damaged, 1, table",
  })
  void a_report_is_as_written_down(String history, String file, int code, String format)
      throws IOException {
    Ran ran = Ran.of("verify", HISTORIES.resolve(history).toString(), "--format", format);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).as(ran.out()).isEqualTo(code);
    golden(file, ran.out());
  }

  @Test
  void the_list_is_as_written_down() throws IOException {
    Ran ran = Ran.of("verify", "--list");
    assertThat(ran.code()).isZero();
    golden("list", ran.out());
  }

  private static void golden(String file, String out) throws IOException {
    Path golden = HISTORIES.resolve(file + ".txt");
    if (Boolean.getBoolean("fencepost.rewrite")) {
      Files.writeString(golden, out);
    }
    assertThat(out).isEqualToNormalizingNewlines(Files.readString(golden));
  }

  @Test
  void a_page_is_written_beside_the_text(@TempDir Path directory) throws IOException {
    String history = HISTORIES.resolve("torn-transaction.jsonl").toString();
    Path page = directory.resolve("deep/torn.html");
    Ran ran = Ran.of("verify", history, "--report", page.toString());
    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.out()).contains("V3 FAIL");
    assertThat(Files.readString(page))
        .contains("2 invariants were broken: V2, V3.", "not handed to shop");
    Ran failed = Ran.of("verify", history, "--report", directory.toString());
    assertThat(failed.code()).isEqualTo(2);
    assertThat(failed.err()).contains("the report " + directory + " cannot be written");
  }

  @Test
  void only_the_checks_that_are_asked_for_decide() throws IOException {
    String history = HISTORIES.resolve("torn-transaction.jsonl").toString();
    assertThat(Ran.of("verify", history, "--check", "v1,L1", "--check", "L6").code()).isZero();
    Ran ran = Ran.of("verify", history, "--check", "V3", "-o", "json");
    assertThat(ran.code()).isEqualTo(1);
    JsonNode report = new ObjectMapper().readTree(ran.out());
    assertThat(report.get("verdicts")).hasSize(1);
    assertThat(report.get("passes").asBoolean()).isFalse();
    assertThat(report.get("verdicts").get(0).get("witness")).hasSize(4);
  }

  @Test
  void what_is_no_history_at_all_is_bad_usage(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("notes.txt"), "hello\nworld\n");
    Ran ran = Ran.of("verify", file.toString());
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("notes.txt is no history: line 1: a line is a JSON object");
  }

  @Test
  void an_empty_history_proves_nothing(@TempDir Path dir) throws IOException {
    Ran ran = Ran.of("verify", Files.createFile(dir.resolve("h.jsonl")).toString());
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).contains("0 held, 0 broken, 34 vacuous, 0 unknown", "nothing is proved");
  }

  @Test
  void a_compressed_history_is_bad_usage_and_told_how_to_unpack(@TempDir Path dir)
      throws IOException {
    Path file = Files.write(dir.resolve("h.jsonl.gz"), HexFormat.of().parseHex("1f8b0800"));
    Ran ran = Ran.of("verify", file.toString());
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("h.jsonl.gz cannot be read: it is compressed", "gunzip -c FILE");
  }
}
