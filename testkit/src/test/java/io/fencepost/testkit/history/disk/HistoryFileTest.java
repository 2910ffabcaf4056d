package io.fencepost.testkit.history.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.AbortedRead;
import io.fencepost.testkit.history.Check;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.EventNames;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.LostWrite;
import io.fencepost.testkit.history.OutputOfInput;
import io.fencepost.testkit.history.PrepareKept;
import io.fencepost.testkit.history.Reuse;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories as files. The examples of docs/history.md are the samples of each kind of event. */
class HistoryFileTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "history.md");

  private static final String SENT =
      "{\"event\":\"send\",\"outcome\":\"ok\",\"transaction\":\"a/1\",\"topic\":\"t\",\"partition\":0,\"value\":\"v\",\"offset\":0}\n";
  private static final String ABORTED =
      "{\"event\":\"end\",\"outcome\":\"ok\",\"transaction\":\"a/1\",\"commit\":false}\n";
  private static final String COMMITTED =
      "{\"event\":\"end\",\"outcome\":\"ok\",\"transaction\":\"a/1\",\"commit\":true}\n";
  private static final String READ =
      "{\"event\":\"read\",\"reader\":\"r\",\"isolation\":\"read_committed\",\"topic\":\"t\","
          + "\"partition\":0,\"offset\":0,\"value\":\"v\"}\n";
  private static final String PASSED =
      "{\"event\":\"passed\",\"reader\":\"r\",\"isolation\":\"read_committed\",\"topic\":\"t\","
          + "\"partition\":0,\"position\":2}\n";

  private static HistoryFile parse(String text) {
    return parse(text.getBytes(StandardCharsets.UTF_8));
  }

  private static HistoryFile parse(byte[] bytes) {
    try {
      return HistoryFile.read(new ByteArrayInputStream(bytes));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> examples() throws IOException {
    return Files.readAllLines(DOCUMENT).stream()
        .filter(line -> line.startsWith("{\"event\""))
        .toList();
  }

  private static String expected(String line) {
    HistoryFile file = parse(line + "\n");
    assertThat(file.badLines()).hasSize(1);
    return file.badLines().get(0).expected();
  }

  @Test
  void the_document_has_an_example_of_each_kind_that_can_be_read_and_written() throws IOException {
    HistoryFile file = parse(examples().stream().collect(Collectors.joining("\n", "", "\n")));
    assertThat(file.badLines()).isEmpty();
    assertThat(file.unknownEvents()).isEmpty();
    TreeSet<String> shown = new TreeSet<>();
    file.history().events().forEach(event -> shown.add(event.getClass().getSimpleName()));
    assertThat(shown)
        .containsExactlyInAnyOrderElementsOf(
            EventNames.kinds().stream().map(Class::getSimpleName).toList());
    for (Event event : file.history().events()) {
      HistoryFile again = parse(HistoryLines.text(event) + "\n");
      assertThat(again.history().events()).containsExactly(event);
    }
  }

  @Test
  void the_whole_history_of_the_document_gets_its_verdicts() throws IOException {
    String document = Files.readString(DOCUMENT);
    int begin = document.indexOf("```jsonl\n") + "```jsonl\n".length();
    String whole = document.substring(begin, document.indexOf("```", begin));
    for (Check check : Verification.checks()) {
      assertThat(verdict(whole, check)).as(check.id()).matches(Verdict::holds);
    }
    assertThat(
            Verification.checks().stream()
                .filter(check -> verdict(whole, check) instanceof Verdict.Pass)
                .map(Check::id))
        .contains("P1", "P2", "P4", "P5", "V2");
    assertThat(verdict(whole.replace("orders-0@0", "orders-0@1"), new OutputOfInput()))
        .isInstanceOf(Verdict.Fail.class);
  }

  @Test
  void what_is_written_is_read_again_with_its_line_numbers(@TempDir Path dir) throws IOException {
    List<Event> events = parse(String.join("\n", examples())).history().events();
    Path path = dir.resolve("history.jsonl");
    try (HistoryWriter writer = HistoryWriter.create(path)) {
      for (int i = 0; i < events.size(); i++) {
        writer.accept(events.get(i));
        assertThat(Files.readAllLines(path)).as("each line is out at once").hasSize(i + 1);
      }
    }
    try (var in = Files.newInputStream(path)) {
      HistoryFile file = HistoryFile.read(in);
      assertThat(file.history().events()).isEqualTo(events);
      assertThat(file.tornLine()).isZero();
    }
    assertThat(Files.readAllLines(path))
        .allSatisfy(line -> assertThat(line).contains("\"at\":", "\"who\":"));
  }

  @Test
  void odd_texts_survive() {
    String odd = "a\"b\\c\n\u0001\u2028 \uD83D\uDE00 é";
    Event event =
        new Event.Read(
            odd, Event.Isolation.READ_COMMITTED, new TopicPartition("t", 1), 1L << 60, odd);
    String line = HistoryLines.text(event);
    assertThat(line).doesNotContain("\n");
    assertThat(parse(line).history().events()).containsExactly(event);
  }

  @Test
  void a_torn_last_line_is_told_and_left_out_wherever_it_is_torn() {
    byte[] whole = (SENT + COMMITTED + READ).getBytes(StandardCharsets.UTF_8);
    int last = (SENT + COMMITTED).length();
    for (int length = last + 1; length < whole.length - 1; length++) {
      HistoryFile file = parse(Arrays.copyOf(whole, length));
      assertThat(file.tornLine()).isEqualTo(3);
      assertThat(file.badLineCount()).isZero();
      assertThat(file.history().events()).hasSize(2);
      assertThat(file.history().gap()).isNull();
    }
    HistoryFile unended = parse(Arrays.copyOf(whole, whole.length - 1));
    assertThat(unended.tornLine()).isZero();
    assertThat(unended.history().events()).hasSize(3);
  }

  @Test
  void unknown_fields_are_ignored_and_unknown_events_counted() {
    HistoryFile file =
        parse(
            SENT.replace("\"offset\"", "\"colour\":[{\"a\":null}],\"offset\"")
                + "{\"event\":\"raed\",\"x\":1}\n\n"
                + "{\"event\":\"raed\"}\r\n"
                + "{\"event\":\"lunch\"}\n");
    assertThat(file.history().events()).hasSize(1);
    assertThat(file.unknownEvents())
        .hasSize(2)
        .containsEntry("raed", 2L)
        .containsEntry("lunch", 1L);
    assertThat(file.badLines()).isEmpty();
    assertThat(file.lineCount()).isEqualTo(5);
  }

  @Test
  void a_bad_line_is_told_with_its_number_and_the_rest_is_read() {
    HistoryFile file = parse(SENT + "not json\n" + COMMITTED);
    assertThat(file.history().events()).hasSize(2);
    assertThat(file.badLines())
        .singleElement()
        .satisfies(
            bad -> {
              assertThat(bad.number()).isEqualTo(2);
              assertThat(bad.expected()).startsWith("a line is a JSON object");
            });
  }

  @Test
  void a_bad_line_says_what_was_expected() {
    String sent = SENT.strip();
    assertThat(expected("[1]")).isEqualTo("a line is a JSON object");
    assertThat(expected("{} {}")).isEqualTo("a line is one JSON object, and this has more");
    assertThat(expected("{}")).isEqualTo("'event' is missing");
    assertThat(expected(sent.replace("\"topic\":\"t\",", ""))).isEqualTo("'topic' is missing");
    assertThat(expected(sent.replace("\"partition\":0", "\"partition\":\"0\"")))
        .isEqualTo("'partition' is a whole number from 0 to 2147483647, not \"0\"");
    assertThat(expected(sent.replace("\"offset\":0", "\"offset\":1.5")))
        .isEqualTo("'offset' is a whole number from -1 to 9223372036854775807, not 1.5");
    assertThat(expected(sent.replace("\"offset\":0", "\"offset\":99999999999999999999")))
        .contains("not 99999999999999999999");
    assertThat(expected(sent.replace(",\"offset\":0", ""))).isEqualTo("'offset' is missing");
    assertThat(expected(sent.replace("\"offset\":0", "\"offset\":-1")))
        .isEqualTo("'offset' is where the record stands, not -1");
    assertThat(expected(sent.replace("\"ok\"", "\"fine\"")))
        .isEqualTo("'outcome' is one of ok, failed, unknown, not \"fine\"");
    assertThat(expected(READ.strip().replace("}", ",\"amount\":\"much\"}")))
        .isEqualTo("'amount' is a decimal number of at most 100 digits, not \"much\"");
    assertThat(expected(READ.strip().replace("}", ",\"origin\":7}")))
        .isEqualTo("'origin' is a text, not 7");
    assertThat(expected(ABORTED.strip().replace("false", "\"no\"")))
        .isEqualTo("'commit' is true or false, not \"no\"");
    assertThat(
            expected(
                "{\"event\":\"transactional_batch\",\"topic\":\"t\",\"partition\":0,"
                    + "\"base_offset\":0,\"leader_epoch\":0,\"producer_id\":1,"
                    + "\"producer_epoch\":0,\"transactions\":[1]}"))
        .isEqualTo("'transactions' is a list of texts, not 1");
  }

  @Test
  void garbage_is_told_by_its_line_and_the_rest_is_read() {
    String deep = "[".repeat(100_000);
    assertThat(expected("{\"event\":" + deep)).contains("nesting depth");
    assertThat(expected("{\"event\":\"r\u0007ead\",\u0001}")).doesNotContain("\u0001");
    assertThat(expected(READ.strip().replace("\"offset\":0", "\"offset\":-1")))
        .isEqualTo("'offset' is a whole number from 0 to 9223372036854775807, not -1");
    assertThat(expected(READ.strip().replace("}", ",\"amount\":1e999999999}")))
        .startsWith("'amount' is a decimal number of at most 100 digits");
    byte[] latin =
        (SENT + READ.replace("\"v\"", "\"\u00e9\"") + COMMITTED)
            .getBytes(StandardCharsets.ISO_8859_1);
    HistoryFile file = parse(latin);
    assertThat(file.history().events()).hasSize(2);
    assertThat(file.badLines())
        .singleElement()
        .satisfies(
            bad -> {
              assertThat(bad.number()).isEqualTo(2);
              assertThat(bad.expected()).contains("UTF-8");
            });
  }

  @Test
  void many_names_of_unknown_events_are_not_all_told() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      text.append("{\"event\":\"e").append(i).append("\"}\n");
    }
    HistoryFile file = parse(text.toString());
    assertThat(file.unknownEvents()).hasSize(21).containsEntry("(others)", 980L);
  }

  @Test
  void the_order_of_clocks_does_not_matter() {
    String late = SENT.replace("{", "{\"at\":9,");
    String early = (COMMITTED + READ + PASSED).replace("{", "{\"at\":1,");
    assertThat(verdict(late + early, new LostWrite())).isEqualTo(new Verdict.Pass(1));
  }

  @ParameterizedTest
  @CsvSource({"1f8b0800, gunzip", "28b52ffd, zstd"})
  void what_is_compressed_is_refused(String start, String program) {
    byte[] packed = HexFormat.of().parseHex(start);
    assertThatThrownBy(() -> HistoryFile.read(new ByteArrayInputStream(packed)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(program);
  }

  @Test
  void a_value_or_transaction_that_is_used_again_is_found() {
    assertThat(Reuse.of(parse(SENT + COMMITTED + READ).history())).isNull();
    String asked = COMMITTED.replace("\"ok\"", "\"invoked\"");
    for (String twice : List.of(SENT, SENT.replace("\"ok\"", "\"invoked\""), asked)) {
      History history = parse(twice + READ + twice).history();
      assertThat(Reuse.of(history)).isNotNull();
      assertThat(history.numbered(Reuse.of(history).events()))
          .extracting(History.Numbered::line)
          .containsExactly(1L, 3L);
    }
  }

  @Test
  void a_line_that_is_too_long_does_not_take_all_memory() {
    String longText = "x".repeat(HistoryFile.LINE_BYTES_MAX);
    HistoryFile file = parse(SENT + longText + longText + "\n" + COMMITTED);
    assertThat(file.history().events()).hasSize(2);
    assertThat(file.badLines())
        .containsExactly(new HistoryFile.BadLine(2, "a line has at most 4 MiB"));
  }

  @Test
  void any_bytes_are_read_to_their_end() {
    long seed = Long.getLong("fencepost.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    byte[] good = (SENT + COMMITTED + READ + PASSED).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = good.clone();
      for (int k = random.nextInt(4); k >= 0; k--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      HistoryFile file = parse(bytes);
      assertThat(file.history().events().size()).as("seed %d", seed).isLessThanOrEqualTo(8);
      Verification.verdicts(file.history(), Verification.checks());
    }
  }

  @Test
  void what_is_seen_stays_a_failure_where_a_line_is_lost_and_what_is_missing_gets_unknown() {
    String broken = SENT + ABORTED + READ;
    assertThat(verdict(broken, new AbortedRead())).isInstanceOf(Verdict.Fail.class);
    assertThat(verdict(broken + "{\n", new AbortedRead())).isInstanceOf(Verdict.Fail.class);
    String lost = SENT + COMMITTED + PASSED;
    assertThat(verdict(lost, new LostWrite())).isInstanceOf(Verdict.Fail.class);
    assertThat(verdict(lost + "{\n", new LostWrite()))
        .isInstanceOfSatisfying(
            Verdict.Unknown.class,
            unknown -> assertThat(unknown.reason()).startsWith("line 4 could not be read"));
  }

  @Test
  void what_may_still_come_is_unknown_until_the_history_is_finished() {
    String decided =
        "{\"event\":\"state_logged\",\"topic\":\"s\",\"partition\":0,\"offset\":0,"
            + "\"transactional_id\":\"a\",\"state\":\"PrepareAbort\",\"producer_id\":1,"
            + "\"producer_epoch\":0}\n";
    assertThat(verdict(decided, new PrepareKept()))
        .isInstanceOfSatisfying(
            Verdict.Unknown.class,
            unknown -> assertThat(unknown.reason()).contains("no 'finished' event"));
    assertThat(verdict(decided + "{\"event\":\"finished\"}\n", new PrepareKept()))
        .isInstanceOf(Verdict.Fail.class);
  }

  @Test
  void a_vacuous_verdict_says_which_events_are_missing_or_what_did_not_happen() {
    assertThat(verdict(SENT + COMMITTED, new LostWrite()))
        .isEqualTo(new Verdict.Vacuous("there is no 'passed' event"));
    assertThat(verdict(SENT + COMMITTED + READ, new AbortedRead()))
        .isEqualTo(
            new Verdict.Vacuous(
                "there are no records read under read_committed beside an aborted transaction"));
    assertThat(verdict(SENT, new OutputOfInput()))
        .isEqualTo(
            new Verdict.Vacuous(
                "there is no 'flow' event, which says what a job reads and writes"));
  }

  @Test
  void a_record_without_transaction_is_committed_when_it_is_acknowledged() {
    String plain = SENT.replace("\"transaction\":\"a/1\",", "");
    assertThat(verdict(plain + READ + PASSED, new LostWrite())).isEqualTo(new Verdict.Pass(1));
    assertThat(verdict(plain + PASSED, new LostWrite())).isInstanceOf(Verdict.Fail.class);
    assertThat(parse(plain).history().events())
        .singleElement()
        .satisfies(event -> assertThat(HistoryLines.text(event)).isEqualTo(plain.strip()));
    String unanswered = plain.replace("\"ok\"", "\"invoked\"");
    assertThat(verdict(unanswered + SENT.replace("\"v\"", "\"w\"") + READ, new AbortedRead()))
        .as("what was sent and not answered may be read")
        .isInstanceOf(Verdict.Pass.class);
  }

  private static Verdict verdict(String text, Check check) {
    return Verification.verdict(parse(text).history(), check);
  }
}
