package io.fencepost.samples.client;

import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.prove.ProofReport;
import io.fencepost.testkit.prove.ProofResult;
import io.fencepost.testkit.report.FaultRow;
import io.fencepost.testkit.report.Mark;
import io.fencepost.testkit.report.RecordRow;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.util.List;
import java.util.Locale;

/** A proof as a page to look at. */
public final class ProofPage {
  private ProofPage() {}

  /**
   * The page; of the runs, those that broke something are shown with their histories, else one.
   *
   * @param command runs a plan again, if the plan is put behind it
   */
  public static Report of(ProofReport proof, String command) {
    ProofReport.Row total = proof.total();
    Report.Builder page =
        Report.titled("Proof of %s, seed %d".formatted(proof.subject(), proof.seed()))
            .fact("fault points", proof.pointCount())
            .fact("runs", total.runs())
            .fact("runs that broke something", total.violations())
            .fact("took", String.format(Locale.ROOT, "%.0f s", proof.millis() / 1000.0))
            .verdicts(proof.verdicts())
            .weakness(proof.weakness());
    proof.rows().forEach(row -> page.faults(row(row)));
    page.faults(row(total));
    if (proof.stability() != null) {
      page.caution("P1 was not checked: " + proof.stability());
    }
    if (!proof.missing().isEmpty()) {
      page.caution("Never brought about: " + String.join(", ", proof.missing()) + ".");
    }
    for (ProofResult result : proof.undone()) {
      page.caution(
          "Not done of '%s': %s"
              .formatted(result.candidate().plan(), String.join("; ", result.undone())));
    }
    for (ProofReport.Failure failure : proof.failures()) {
      page.run(run(failure.result(), failure.smallest(), command));
      addRecords(page, failure.result());
    }
    ProofResult example = proof.example();
    if (example != null && proof.failures().isEmpty()) {
      page.caution(
          "One run is drawn, of %,d that held: the one in which most was broken."
              .formatted(total.runs() - total.violations()));
      page.run(run(example, example.candidate().plan(), command));
      addRecords(page, example);
    }
    addTotal(page, proof.results());
    return page.build();
  }

  private static void addRecords(Report.Builder page, ProofResult result) {
    ProofResult.Records records = result.records();
    if (records != null) {
      page.records(row(name(result), records, dropped(result)));
    }
  }

  private static RecordRow row(String what, ProofResult.Records records, long dropped) {
    return new RecordRow(
        what,
        records.intended(),
        records.written(),
        records.aborted(),
        0,
        records.logDelta(),
        records.duplicates(),
        dropped);
  }

  private static void addTotal(Report.Builder page, List<ProofResult> results) {
    ProofResult.Records all = null;
    long dropped = 0;
    for (ProofResult result : results) {
      ProofResult.Records records = result.records();
      all = all == null || records == null ? (all == null ? records : all) : all.plus(records);
      dropped += dropped(result);
    }
    if (all != null) {
      page.records(row("all", all, dropped));
    }
  }

  private static FaultRow row(ProofReport.Row row) {
    ProofResult.Counts counts = row.counts();
    return new FaultRow(
        row.kind(),
        row.runs(),
        row.fired(),
        counts.aborts(),
        counts.fenced(),
        counts.retries(),
        counts.restarts(),
        (long) row.violations());
  }

  private static String name(ProofResult result) {
    FaultPlan plan = result.candidate().plan();
    return plan.isEmpty() ? "no fault" : plan.toString();
  }

  private static long dropped(ProofResult result) {
    return result.fired().stream()
        .filter(fired -> fired.action().kind() == FaultKind.ANSWER_LOST)
        .count();
  }

  /**
   * A run with its history.
   *
   * @param again the plan that runs it again
   */
  private static Run run(ProofResult result, FaultPlan again, String command) {
    FaultPlan plan = result.candidate().plan();
    History seen = result.seen();
    History history = seen == null ? new History() : seen;
    List<Mark> marks =
        history.events().isEmpty()
            ? result.fired().stream()
                .map(fired -> Mark.fault(fired.wallMs(), fired.fault().toString()))
                .toList()
            : List.of();
    return Run.of(name(result), history, result.verdicts())
        .marked(marks)
        .planned(plan.isEmpty() ? null : plan.toString())
        .rerunBy("%s'%s'".formatted(command, again))
        .dropped(dropped(result));
  }
}
