package io.fencepost.testkit.prove;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProofReportTest {
  @Test
  void rows_add_up_by_kind_and_in_all() {
    ProofReport report =
        report(
            result("EndTxn#1:answer-lost", true, new Verdict.Pass(3)),
            result("EndTxn#2:answer-lost", false, new Verdict.Pass(4)),
            result("kill job@after-send#1", true, Verdict.broken("lost")));
    assertThat(report.rows())
        .extracting(ProofReport.Row::kind, ProofReport.Row::runs, ProofReport.Row::fired)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("answer-lost", 2, 1),
            org.assertj.core.groups.Tuple.tuple("kill job", 1, 1));
    assertThat(report.total().violations()).isEqualTo(1);
    assertThat(report.total().counts()).isEqualTo(new ProofResult.Counts(30, 6, 0, 3, 0));
    assertThat(report.undone()).hasSize(1);
    assertThat(report.missing()).containsExactly("a fenced producer");
  }

  @Test
  void one_failure_outweighs_all_passes_and_passes_add_up() {
    Verdict failed = Verdict.broken("lost");
    assertThat(
            report(
                    result("EndTxn#1:answer-lost", true, new Verdict.Pass(3)),
                    result("EndTxn#2:answer-lost", true, failed),
                    result("EndTxn#3:answer-lost", true, new Verdict.Pass(4)))
                .verdicts())
        .containsExactly(Map.entry("P1", failed));
    assertThat(
            report(
                    result("EndTxn#1:answer-lost", true, new Verdict.Pass(3)),
                    result("EndTxn#3:answer-lost", true, new Verdict.Pass(4)))
                .verdicts())
        .containsExactly(Map.entry("P1", new Verdict.Pass(7)));
  }

  @Test
  void a_plan_of_which_a_part_was_not_done_is_told_from_one_of_which_nothing_was() {
    String plan = "EndTxn#1:answer-lost; EndTxn#999:answer-lost";
    assertThat(report(result(plan, false, new Verdict.Pass(1))).weakness())
        .isEqualTo("no plan was done whole");
    ProofResult undone =
        new ProofResult(
            new Candidate(FaultPlan.parse(plan)),
            List.of(),
            List.of("EndTxn#1:answer-lost (0 calls passed there)"),
            new TreeMap<>(),
            ProofResult.Counts.ZERO,
            null,
            100,
            null,
            null);
    assertThat(report(undone).weakness()).isEqualTo("nothing that was planned was done");
    assertThat(report(result(plan, true, new Verdict.Pass(1))).weakness()).isNull();
  }

  private static ProofReport report(ProofResult... results) {
    return new ProofReport("payments", 1, 10, null, List.of(results), List.of(), null, 1_000);
  }

  private static ProofResult result(String plan, boolean isFired, Verdict verdict) {
    FaultPlan faults = FaultPlan.parse(plan);
    return new ProofResult(
        new Candidate(faults),
        List.of(new Fired(faults.faults().get(0), 1, FaultFacts.NONE, 0)),
        isFired ? List.of() : List.of(faults.faults().get(0) + " (1 call passed there)"),
        new TreeMap<>(Map.of("P1", verdict)),
        new ProofResult.Counts(10, 2, 0, 1, 0),
        null,
        100,
        null,
        null);
  }
}
