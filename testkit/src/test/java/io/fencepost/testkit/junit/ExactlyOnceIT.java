package io.fencepost.testkit.junit;

import static io.fencepost.testkit.junit.FencepostAssertions.assertExactlyOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.streams.Job;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it sets system properties")
class ExactlyOnceIT {
  private static final String[] INPUT =
      IntStream.range(0, 40).mapToObj(i -> "payment " + i).toArray(String[]::new);

  private static Job copy() {
    Job job = Job.named("copy");
    job.from("payments", Serdes.String(), Serdes.String())
        .mapValues(value -> "charged " + value)
        .to("charges", Serdes.String(), Serdes.String());
    return job;
  }

  private static List<String> charged(List<String> payments) {
    return payments.stream().map(it -> "charged " + it).toList();
  }

  @Test
  void a_job_is_exactly_once_under_lost_answers_delays_and_restarts() {
    List<ExactlyOnceReport> reports =
        assertExactlyOnce(copy())
            .from("payments", INPUT)
            .to("charges", ExactlyOnceIT::charged)
            .under(
                FaultPlan.NONE,
                FaultPlan.at(ApiKey.END_TXN).occurrence(2).answerLost(),
                FaultPlan.parse(
                    "Produce[topic=charges]#3:answer-lost; TxnOffsetCommit#2:request-lost"),
                FaultPlan.parse("EndTxn#3:delayed=500ms; restart job@EndTxn#4"),
                FaultPlan.parse("restart broker@Produce[topic=charges]#4"));
    assertThat(reports).hasSize(5).allMatch(ExactlyOnceReport::isExactlyOnce);
    assertThat(reports).extracting(it -> it.fired().size()).containsExactly(0, 1, 2, 2, 1);
    assertThat(reports).allSatisfy(it -> assertThat(it.outputs()).isEqualTo(INPUT.length));
    assertThat(reports.get(0).toString())
        .matches(
            "job copy is exactly once, without faults\n"
                + "  40 records in, 40 out; [0-9]+ commits, 0 aborts, 0 fences, 0 restarts");
  }

  @Test
  void a_cluster_of_three_loses_leaders_and_coordinators() {
    List<ExactlyOnceReport> reports =
        assertExactlyOnce(copy())
            .brokers(3)
            .partitions(1)
            .from("payments", INPUT)
            .to("charges", ExactlyOnceIT::charged)
            .under(
                FaultPlan.parse(
                    "move coordinator@EndTxn#2; move leader of charges-0@Produce[charges-0]#2"),
                FaultPlan.parse("kill broker 2@EndTxn#3"),
                FaultPlan.parse("isolate broker 3@EndTxn#3 for 1s"));
    assertThat(reports).hasSize(3);
  }

  @Test
  void state_is_kept_once_too() {
    Job job = Job.named("dedup");
    job.from("payments", Serdes.String(), Serdes.Long())
        .deduplicate("seen", Duration.ofDays(1))
        .to("once", Serdes.String(), Serdes.Long());
    List<KeyValue<String, Long>> input = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      input.add(KeyValue.of("key " + i % 20, (long) (i % 20)));
    }
    assertExactlyOnce(job)
        .from("payments", Serdes.String(), Serdes.Long(), input)
        .to(
            "once",
            Serdes.String(),
            Serdes.Long(),
            all -> new ArrayList<>(new LinkedHashSet<>(all)))
        .under(FaultPlan.parse("EndTxn#2:answer-lost; restart job@EndTxn#3"));
  }

  @Test
  void a_job_that_is_not_is_shown_and_kept(@TempDir Path kept) throws IOException {
    Job wrong = Job.named("wrong");
    wrong
        .from("payments", Serdes.String(), Serdes.String())
        .flatMapValues(
            (key, value) ->
                switch (value) {
                  case "payment 1" -> List.of();
                  case "payment 2" -> List.of(value, value);
                  case "payment 3" -> List.of(value, "alien");
                  default -> List.of(value);
                })
        .to("charges", Serdes.String(), Serdes.String());
    Throwable failure = failed(kept, wrong, "EndTxn#2:answer-lost; Heartbeat#9999:delayed=1s");
    Path directory = kept.resolve("ExactlyOnceIT.a_job_that_is_not_is_shown_and_kept");
    String rerun =
        "mvn test -Dtest='ExactlyOnceIT#a_job_that_is_not_is_shown_and_kept'"
            + " -Dfencepost.plan='EndTxn#2:answer-lost; Heartbeat#9999:delayed=1s'";
    assertThat(
            failure
                .getMessage()
                .replaceAll("\\S+Z EndTxn", "TIME EndTxn")
                .replaceAll("[0-9]+ calls? passed", "N calls passed")
                .replaceAll("[0-9]+ (commit|abort|fence)s?", "N $1s"))
        .isEqualTo(
            """
            job wrong is not shown to be exactly once under EndTxn#2:answer-lost;\
             Heartbeat#9999:delayed=1s
              P1 missing in charges: 1 record
                payment 1
              P1 not expected in charges: 1 record
                alien at charges-0@4
              P4 too often in charges: 1 record
                payment 2: 2 instead of 1, at charges-0@1, charges-0@2
              S1 planned and never done: Heartbeat#9999:delayed=1s (N calls passed there)
              40 records in, 41 out; N commits, N aborts, N fences, 0 restarts
              1 fault done
                TIME EndTxn#2 answer-lost (txn=wrong-one-0, client=wrong-one-0, broker=1)
              page: %s
              history: %s
              rerun: %s\
            """
                .formatted(
                    directory.resolve("report.html"), directory.resolve("history.jsonl"), rerun));
    assertThat(directory.resolve("plan.txt"))
        .hasContent("EndTxn#2:answer-lost; Heartbeat#9999:delayed=1s");
    assertThat(directory.resolve("rerun.txt")).hasContent(rerun);
    assertThat(Files.readString(directory.resolve("report.txt"))).startsWith("job wrong is not");
    try (InputStream in = Files.newInputStream(directory.resolve("history.jsonl"))) {
      History history = HistoryFile.read(in).history();
      assertThat(history.all(Event.Sent.class)).hasSize(40);
      assertThat(history.all(Event.Read.class))
          .filteredOn(it -> it.reader().equals("audit"))
          .hasSize(41);
      assertThat(history.all(Event.OffsetSeen.class)).isNotEmpty();
      assertThat(history.all(Event.Flow.class))
          .containsExactly(new Event.Flow("wrong", "payments", "charges", Event.Takes.EACH));
      assertThat(Verification.verdicts(history, Verification.checks()))
          .hasEntrySatisfying(
              "P1",
              it ->
                  assertThat(it)
                      .isInstanceOfSatisfying(
                          Verdict.Fail.class,
                          fail ->
                              assertThat(fail.sentence())
                                  .isEqualTo("two were made of payments-0@2")))
          .hasEntrySatisfying("P4", it -> assertThat(it).isInstanceOf(Verdict.Fail.class));
    }
  }

  private static Throwable failed(Path kept, Job job, String plan) {
    System.setProperty("fencepost.kept", kept.toString());
    try {
      return catchThrowable(
          () ->
              assertExactlyOnce(job)
                  .partitions(1)
                  .with("instance.id", "one")
                  .from("payments", INPUT)
                  .to("charges", all -> all)
                  .under(FaultPlan.parse(plan)));
    } finally {
      System.clearProperty("fencepost.kept");
    }
  }

  @Test
  void what_can_not_be_done_or_known_in_a_test_is_refused_before_it_runs() {
    ExactlyOnce.From<String, String> whole =
        assertExactlyOnce(copy()).from("payments", INPUT).to("charges", ExactlyOnceIT::charged);
    assertThatThrownBy(() -> whole.under(FaultPlan.parse("pause job@EndTxn#1 for 1s")))
        .hasMessage(
            "'pause job@EndTxn#1 for 1s' can't be done to a job in a test: what stands still is a"
                + " process (SIGSTOP), and the test would stand still with it; './fencepost prove"
                + " --job CLASS --plan PLAN' does it to processes of the job. What can be done"
                + " here: kill job, restart job");
    assertThatThrownBy(() -> whole.under(FaultPlan.parse("kill job 2@EndTxn#1")))
        .hasMessage("'kill job 2@EndTxn#1' can't be done: in a test a job has one instance");
    assertThatThrownBy(
            () ->
                assertExactlyOnce(copy())
                    .brokers(1)
                    .from("payments", INPUT)
                    .to("charges", ExactlyOnceIT::charged)
                    .under(FaultPlan.parse("move leader of charges-0@EndTxn#1")))
        .hasMessage(
            "'move leader of charges-0@EndTxn#1' can't be done: there is one broker, and nobody"
                + " to take over; brokers(...) says how many there are");
    assertThatThrownBy(() -> whole.under(FaultPlan.parse("kill broker 4@EndTxn#1")))
        .hasMessage(
            "'kill broker 4@EndTxn#1' can't be done: there are 3 brokers; brokers(...) says how"
                + " many");
    assertThatThrownBy(() -> assertExactlyOnce(copy()).from("payments", "a").under())
        .hasMessage("nothing is expected of job copy: say it with from(...).to(...)");
  }

  @Test
  void topics_that_are_not_of_the_job_are_refused_where_they_would_show_nothing() {
    assertThatThrownBy(
            () -> assertExactlyOnce(copy()).from("payment", "a").to("charges", all -> all).under())
        .hasMessage("job copy does not read payment; it reads [payments]");
    assertThatThrownBy(
            () -> assertExactlyOnce(copy()).from("payments").to("charges", all -> all).under())
        .hasMessage("job copy is given no records");
    assertThatThrownBy(
            () ->
                assertExactlyOnce(copy())
                    .from("payments", "a")
                    .to("refused", all -> List.of())
                    .under())
        .hasMessage(
            "job copy does not write refused, so that nothing stands there shows nothing; it writes"
                + " [charges]");
  }

  @Test
  void the_plan_of_the_command_line_replaces_those_of_the_test() {
    System.setProperty(ExactlyOnce.PLAN_PROPERTY, "EndTxn#1:answer-lost");
    try {
      assertThat(
              assertExactlyOnce(copy())
                  .from("payments", INPUT)
                  .to("charges", ExactlyOnceIT::charged)
                  .under(FaultPlan.NONE, FaultPlan.NONE))
          .extracting(it -> it.plan().toString())
          .containsExactly("EndTxn#1:answer-lost");
    } finally {
      System.clearProperty(ExactlyOnce.PLAN_PROPERTY);
    }
  }
}
