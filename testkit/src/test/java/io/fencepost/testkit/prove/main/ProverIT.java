package io.fencepost.testkit.prove.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.testkit.brokers.TestBroker;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.history.Verification;
import io.fencepost.testkit.history.disk.HistoryFile;
import io.fencepost.testkit.prove.ProofReport;
import io.fencepost.testkit.prove.ProofResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ProverIT {
  @RegisterExtension static final TestBroker KAFKA = TestBroker.kafka(Map.of());

  @TempDir private Path directory;

  @Test
  void a_job_with_its_count_in_a_store_holds_at_each_step_of_its_end() throws IOException {
    try (Prover prover = prover(CountingSubject.Counting.class, "before-end", 2, null)) {
      ProofReport report = prover.prove();
      assertThat(report.failures()).isEmpty();
      assertThat(report.stability()).isNull();
      assertThat(report.pointCount()).isGreaterThan(20);
      assertThat(report.rows())
          .extracting(ProofReport.Row::kind)
          .contains("kill job", "pause job", "failed");
      assertThat(report.total().counts().restarts()).isPositive();
      assertThat(report.verdicts()).containsKeys("E1", "E3", "P1", "P2", "P3", "V1", "V2", "V5");
      assertThat(report.verdicts().get("P1")).isInstanceOf(Verdict.Pass.class);
      ProofResult example = report.example();
      assertThat(example).isNotNull();
      assertThat(example.fired()).isNotEmpty();
      History held = read(example);
      assertThat(held.all(Event.Sent.class)).isNotEmpty();
      assertThat(held.all(Event.Opened.class)).isNotEmpty();
      assertThat(Verification.verdicts(held, Verification.checks()))
          .allSatisfy((id, verdict) -> assertThat(verdict.holds()).as(id + verdict).isTrue());
    }
  }

  @Test
  void a_job_with_its_count_in_a_variable_is_caught_and_its_plan_made_smaller() throws IOException {
    FaultPlan plan =
        FaultPlan.parse("Heartbeat#1:answer-lost; Fetch#3:delayed=10ms; kill job@after-stage#2");
    try (Prover prover = prover(CountingSubject.Forgetful.class, null, 0, null)) {
      ProofReport report = prover.tryOut(plan);
      assertThat(report.failures()).hasSize(1);
      ProofReport.Failure failure = report.failures().get(0);
      assertThat(failure.result().violations().get("P1"))
          .asString()
          .contains(" missing, such as counts key-", " too much, such as counts-0@");
      assertThat(failure.smallest()).hasToString("kill job@after-stage#2");
      assertThat(report.total().violations()).isEqualTo(1);
      History seen = read(failure.result());
      assertThat(seen.all(Event.Fault.class))
          .extracting(Event.Fault::what)
          .anyMatch(what -> what.contains("kill job"));
      assertThat(seen.all(Event.Trouble.class))
          .extracting(Event.Trouble::what)
          .anyMatch(what -> what.startsWith("P1: "));
      assertThat(seen.all(Event.Sent.class)).isNotEmpty();
      assertThat(seen.all(Event.Ended.class))
          .anyMatch(Event.Ended::commit)
          .anyMatch(ended -> !ended.commit());
      assertThat(seen.all(Event.Bounds.class)).isNotEmpty();
      Verdict.Fail fail = failure.result().violations().get("P1");
      assertThat(fail.events()).isNotEmpty();
      assertThat(seen.events()).containsAll(fail.events());
      assertThat(failure.result().records())
          .satisfies(
              records -> {
                assertThat(records.intended()).isEqualTo(120);
                assertThat(records.written()).isEqualTo(120 + records.aborted());
                assertThat(records.duplicates()).isPositive();
                assertThat(records.logDelta()).isGreaterThan(records.written());
              });
      assertThat(report.example()).isNull();
    }
  }

  @Test
  void a_broker_is_broken_under_a_job() {
    List<String> said = new ArrayList<>();
    try (Prover prover = prover(CountingSubject.Counting.class, null, 0, null)) {
      for (String plan :
          List.of(
              "kill broker@EndTxn#2",
              "tear tail@after-append#40",
              "isolate broker@Produce#3 for 1s",
              "move coordinator@TxnOffsetCommit#2")) {
        ProofReport report = prover.tryOut(FaultPlan.parse(plan));
        report.failures().forEach(failure -> said.add(plan + ": " + failure));
        report.undone().forEach(result -> said.add(plan + ": " + result.undone()));
      }
    }
    assertThat(said).isEmpty();
  }

  @Test
  void what_fires_and_cannot_be_done_to_a_broker_does_not_count_as_done() {
    try (Prover prover = prover(CountingSubject.Counting.class, null, 0, null)) {
      ProofReport report = prover.tryOut(FaultPlan.parse("move leader@EndTxn#2"));
      assertThat(report.total().fired()).isZero();
      assertThat(report.undone())
          .singleElement()
          .satisfies(
              result ->
                  assertThat(result.undone())
                      .containsExactly(
                          "could not be done: nothing is moved, as the call names no log"));
      assertThat(report.weakness()).isEqualTo("no plan was done whole");
    }
  }

  @Test
  void on_apache_kafka_what_goes_to_the_brokers_is_broken() {
    try (Prover prover =
        prover(CountingSubject.Counting.class, "EndTxn", 0, KAFKA.bootstrapServers())) {
      ProofReport report = prover.prove();
      assertThat(report.failures()).isEmpty();
      assertThat(report.total().runs()).isGreaterThan(8);
      assertThat(report.rows()).noneMatch(row -> row.kind().contains("broker"));
    }
  }

  @Test
  void topics_that_are_there_are_neither_filled_nor_deleted() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic("counting-archive", 1, (short) 1))).all().get();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> admin.listTopics().names().get().contains("counting-archive"));
      try {
        assertThatThrownBy(
                () -> prover(CountingSubject.Counting.class, null, 0, KAFKA.bootstrapServers()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("topics [counting-archive] are on");
        assertThat(admin.listTopics().names().get()).contains("counting-archive");
      } finally {
        admin.deleteTopics(List.of("counting-archive")).all().get();
      }
    }
  }

  @Test
  void a_plan_that_nothing_can_be_done_of_proves_nothing() {
    try (Prover prover = prover(CountingSubject.Counting.class, null, 0, null)) {
      ProofReport report = prover.tryOut(FaultPlan.parse("EndTxn#9999:answer-lost"));
      assertThat(report.holds()).isTrue();
      assertThat(report.weakness()).isEqualTo("nothing that was planned was done");
    }
    try (Prover prover = prover(CountingSubject.Counting.class, "EntTxn", 0, null)) {
      assertThatThrownBy(prover::prove)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("no plan for this job has 'EntTxn' in it; there are [")
          .hasMessageContaining("EndTxn");
    }
  }

  @Test
  void an_output_of_chance_is_not_compared_under_one_plan_either() {
    try (Prover prover = prover(CountingSubject.Drawing.class, null, 0, null)) {
      ProofReport report = prover.tryOut(FaultPlan.parse("EndTxn#2:answer-lost"));
      assertThat(report.failures()).isEmpty();
      assertThat(report.verdicts()).doesNotContainKey("P1");
      assertThat(report.weakness()).startsWith("the output could not be compared");
    }
  }

  @Test
  void what_cannot_be_done_to_the_brokers_is_refused_before_anything_runs() {
    try (Prover prover = prover(CountingSubject.Counting.class, null, 0, null)) {
      assertThatThrownBy(() -> prover.tryOut(FaultPlan.parse("kill broker 9@EndTxn#1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("there are 3 brokers");
    }
    try (Prover prover =
        prover(CountingSubject.Counting.class, null, 0, KAFKA.bootstrapServers())) {
      for (String plan : List.of("kill broker@EndTxn#1", "after-append#1:failed")) {
        assertThatThrownBy(() -> prover.tryOut(FaultPlan.parse(plan)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("leave --bootstrap out");
      }
    }
  }

  private static History read(ProofResult result) throws IOException {
    try (InputStream kept = Files.newInputStream(Path.of(String.valueOf(result.history())))) {
      return HistoryFile.read(kept).history();
    }
  }

  private Prover prover(
      Class<?> job, @Nullable String points, int combinations, @Nullable String bootstrap) {
    return new Prover(
        new CountingSubject(job),
        new Prover.Options(
            points,
            combinations,
            1,
            bootstrap == null ? 2 : 1,
            bootstrap,
            directory.resolve("log"),
            directory),
        (what, done, total) -> {});
  }
}
