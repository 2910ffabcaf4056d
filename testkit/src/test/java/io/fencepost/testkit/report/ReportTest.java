package io.fencepost.testkit.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.BigHistory;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import io.fencepost.testkit.report.disk.ReportFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final int PAGE_BYTES_MAX = 1_000_000;

  private static Report torn() {
    return Report.titled("Zombie & successor").fact("seed", 7).run(TornRun.run()).build();
  }

  private static Run run(History history) {
    return Run.of("run", history, Verification.verdicts(history, Verification.checks()));
  }

  /** {@code -Dfencepost.rewrite=true} writes it anew; review it as a diff. */
  @Test
  void the_data_is_as_written_down() throws IOException {
    Path golden = Path.of("src/test/resources/report/torn.json");
    String data =
        ReportJson.text(torn()).replace("},{", "},\n{").replace("],[\"", "],\n[\"") + "\n";
    if (Boolean.getBoolean("fencepost.rewrite")) {
      Files.createDirectories(golden.toAbsolutePath().getParent());
      Files.writeString(golden, data);
    }
    assertThat(data).isEqualToNormalizingNewlines(Files.readString(golden));
  }

  @Test
  void nothing_that_a_run_says_becomes_an_element_of_the_page() {
    String page = ReportFile.page(torn());
    assertThat(page)
        .doesNotContain("<script>window", "<img", "<b onclick", "\u202e")
        .contains("&lt;script&gt;window.hit=1");
    assertThat(page.split("</script>", -1)).as("data, script, and what follows").hasSize(3);
  }

  @Test
  void a_page_asks_for_nothing_from_elsewhere() {
    String page = ReportFile.page(torn());
    assertThat(page).contains("default-src &#39;none&#39;");
    assertThat(page.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContain("http://", "https://", "@import", "url(//");
  }

  @Test
  void a_run_of_a_hundred_thousand_records_is_a_page_below_a_megabyte() {
    History history = new History();
    long[] atMs = {1_790_000_000_000L};
    BigHistory.write(100_000, event -> history.addAt(event, atMs[0]++));
    Report report = Report.titled("big").run(Run.of("big", history, new TreeMap<>())).build();
    String page = ReportFile.page(report);
    assertThat(page.getBytes(StandardCharsets.UTF_8).length)
        .isBetween(PAGE_BYTES_MAX / 10, PAGE_BYTES_MAX);
    assertThat(report.records().get(report.records().size() - 1).intended())
        .isGreaterThanOrEqualTo(100_000);
  }

  @Test
  void what_was_not_committed_is_drawn_however_many_others_there_are() {
    History history = new History();
    for (int i = 0; i < 9_000; i++) {
      String name = "w.1/" + i;
      history.add(new Event.SendAsked(name, TornRun.PAYMENTS, "v" + i));
      history.add(new Event.Sent(name, TornRun.PAYMENTS, "v" + i, Outcome.OK, 2L * i));
      history.add(new Event.EndAsked(name, i % 100 != 0));
      history.add(new Event.Ended(name, i % 100 != 0, Outcome.OK));
    }
    RunChart chart = Report.titled("t").run(run(history)).build().charts().get(0);
    List<Timeline.Bar> bars = chart.timeline().lanes().get(0).bars();
    assertThat(bars).hasSizeBetween(3_990, 4_000);
    assertThat(bars.stream().filter(bar -> bar.state() == Timeline.State.ABORTED)).hasSize(90);
    assertThat(chart.timeline().transactionCount()).isEqualTo(9_000);
  }

  @Test
  void the_picture_shows_what_is_torn_what_stands_twice_and_what_should_not_be_read() {
    TreeMap<String, TreeSet<String>> remarks = new TreeMap<>();
    for (Violation violation : torn().violations()) {
      for (Picture.Strip strip : violation.picture().strips()) {
        for (Picture.Cell cell : strip.cells()) {
          if (!cell.remark().isEmpty()) {
            remarks
                .computeIfAbsent(violation.id(), id -> new TreeSet<>())
                .add(strip.partition() + "@" + cell.offset() + " " + cell.remark());
          }
        }
      }
    }
    assertThat(remarks.get("V1")).containsExactly("accepted-1@9 aborted, and read");
    assertThat(remarks.get("V3")).containsExactly("accepted-1@8 not handed to reader");
    assertThat(remarks.get("V4"))
        .containsExactly("payments-0@10 stands twice", "payments-0@2 stands twice");
  }

  @Test
  void the_steps_of_a_witness_are_those_of_the_verdict_with_their_lines() {
    Run run = TornRun.run();
    Verdict.Fail fail = (Verdict.Fail) run.verdicts().get("V3");
    Violation violation = Violation.of("V3", fail, run);
    assertThat(violation.steps()).hasSameSizeAs(fail.events());
    assertThat(violation.steps()).extracting(Violation.Step::line).isSorted().doesNotContain(0L);
    assertThat(violation.rerun()).contains("--plan");
  }

  @Test
  void records_are_counted_as_they_were_meant_sent_and_found() {
    List<RecordRow> rows = Report.titled("t").run(TornRun.run().dropped(3)).build().records();
    assertThat(rows)
        .contains(
            new RecordRow("payments", 5L, 5, 0, 0, 11L, 1L, null),
            new RecordRow("all", 13L, 12, 0, 1, 25L, 1L, 3L));
  }

  @Test
  void a_fall_is_drawn_also_where_curves_are_thinned_out() {
    Steps steps = new Steps();
    for (int i = 0; i < 10_000; i++) {
      steps.set(i, i == 5_000 ? 17 : i + 100);
    }
    long[] thinned = steps.thinned(100);
    assertThat(thinned.length / 2).isBetween(100, 110);
    List<Long> values = new ArrayList<>();
    for (int i = 1; i < thinned.length; i += 2) {
      values.add(thinned[i]);
    }
    assertThat(values).contains(5_099L, 17L, 5_101L, 10_099L);
  }

  @Test
  void readers_that_hear_late_make_no_fall_and_one_that_hears_less_does() {
    History history = new History();
    history.add(new Event.Watermarks("a", TornRun.PAYMENTS, 5, 9));
    history.add(new Event.Watermarks("b", TornRun.PAYMENTS, 3, 8));
    history.add(new Event.Watermarks("a", TornRun.PAYMENTS, 4, 9));
    LogCurve curve =
        Report.titled("t").run(run(history)).build().charts().get(0).curves().drawn().get(0);
    assertThat(curve.highWatermark()).containsExactly(0, 9);
    assertThat(curve.lastStableOffset()).containsExactly(0, 5, 2, 4);
    assertThat(curve.isBound()).isFalse();
  }

  @Test
  void a_history_without_times_is_drawn_in_its_order() {
    Run run = TornRun.run(false);
    RunChart chart = Report.titled("t").run(run).build().charts().get(0);
    assertThat(chart.isTimed()).isFalse();
    assertThat(chart.span()).isLessThan(run.history().events().size());
    assertThat(chart.timeline().faults()).extracting(Timeline.Note::text).hasSize(2);
  }

  @Test
  void a_proof_is_told_by_its_rows_and_failures_alone() {
    Verdict.Fail fail = new Verdict.Fail("too much: charge 7", List.of(), Verdict.Ground.SEEN);
    TreeMap<String, Verdict> verdicts = new TreeMap<>();
    verdicts.put("P1", fail);
    Report report =
        Report.titled("Proof of payments")
            .verdicts(verdicts)
            .faults(new FaultRow("answer-lost", 12, 11, 4L, 1L, 30L, 0L, 1L))
            .caution("S1: there was no fenced producer")
            .run(
                Run.of("EndTxn#3:answer-lost", new History(), verdicts)
                    .planned("EndTxn#3:answer-lost")
                    .rerunBy("./fencepost prove payments --plan 'EndTxn#3:answer-lost'")
                    .marked(List.of(Mark.fault(1_790_000_000_000L, "EndTxn#3:answer-lost"))))
            .build();
    assertThat(report.standing()).isEqualTo(Report.Standing.BROKEN);
    assertThat(ReportFile.page(report))
        .contains("too much: charge 7", "prove payments --plan", "answer-lost", "S1: there was");
  }

  @Test
  void what_was_broken_on_purpose_is_caught_or_survived() {
    assertThat(Report.titled("t").brokenOnPurpose(2, 2).run(TornRun.run()).build().standing())
        .isEqualTo(Report.Standing.CAUGHT);
    Report survived = Report.titled("t").brokenOnPurpose(0, 1).run(TornRun.run()).build();
    assertThat(survived.standing()).isEqualTo(Report.Standing.SURVIVED);
    assertThat(survived.sentence()).contains("no check noticed");
  }

  @Test
  void all_transactions_of_a_picture_are_told_apart_and_say_what_was_not_acknowledged() {
    History history = new History();
    Event.Sent torn = new Event.Sent("a.1/1", TornRun.PAYMENTS, "a1", Outcome.OK, 0);
    history.add(torn);
    history.add(new Event.Sent("a.1/1", TornRun.ACCEPTED, "a2", Outcome.FAILED, -1));
    history.add(new Event.Sent("b.1/1", TornRun.PAYMENTS, "b1", Outcome.OK, 1));
    Picture picture = PictureBuilder.of(history, List.of(torn));
    assertThat(picture.transactions())
        .extracting(Picture.Actor::name)
        .containsExactly("a.1/1", "b.1/1");
    assertThat(picture.transactions().get(0).lost()).containsExactly("a2");
    assertThat(picture.strips().get(0).cells())
        .extracting(Picture.Cell::transaction)
        .startsWith(0, 1);
  }

  @Test
  void what_held_and_still_proves_nothing_says_why() {
    Report report =
        Report.titled("t")
            .verdicts(Map.of("P1", new Verdict.Pass(3)))
            .weakness("nothing that was planned was done")
            .build();
    assertThat(report.standing()).isEqualTo(Report.Standing.PROVES_NOTHING);
    assertThat(report.sentence()).contains("nothing that was planned was done");
  }

  @Test
  void what_had_no_chance_to_break_proves_nothing() {
    Report report = Report.titled("t").run(run(new History())).build();
    assertThat(report.standing()).isEqualTo(Report.Standing.PROVES_NOTHING);
    assertThat(ReportFile.page(report)).contains("Proves nothing", "What had no occasion here: C1");
  }

  @Test
  void every_kind_of_event_has_its_words() throws IOException {
    Path document = Path.of("../docs/history.md");
    String examples =
        Files.readAllLines(document).stream()
            .filter(line -> line.startsWith("{"))
            .reduce("", (all, line) -> all + line + "\n");
    History history =
        HistoryFile.read(new ByteArrayInputStream(examples.getBytes(StandardCharsets.UTF_8)))
            .history();
    assertThat(history.events()).isNotEmpty();
    for (Event event : history.events()) {
      assertThat(EventFacts.of(event).sentence())
          .as(event.toString())
          .doesNotContain(event.getClass().getSimpleName() + "[");
    }
    assertThat(
            EventFacts.of(
                    new Event.Passed(
                        "r", Event.Isolation.READ_COMMITTED, new TopicPartition("t", 1), 4))
                .offset())
        .isEqualTo(4);
  }
}
