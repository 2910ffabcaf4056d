package io.fencepost.testkit.junit;

import io.fencepost.streams.JobCounts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.report.FaultRow;
import io.fencepost.testkit.report.Report;
import io.fencepost.testkit.report.Run;
import java.util.TreeMap;

/** A run as a page to look at. */
final class ExactlyOncePage {
  private ExactlyOncePage() {}

  /**
   * The page.
   *
   * @param rerun the line that runs it again
   */
  static Report of(ExactlyOnceReport report, History history, String rerun) {
    String plan = report.plan().toString();
    JobCounts counts = report.counts();
    Report.Builder page =
        Report.titled(
                "Job " + report.job() + (plan.isEmpty() ? ", without faults" : " under " + plan))
            .fact("records in", report.inputs())
            .fact("records out", report.outputs())
            .fact("commits", counts.commits())
            .fact("aborts", counts.aborts())
            .fact("fences", counts.fences())
            .fact("restarts", report.restarts())
            .rerun(rerun);
    rows(report).forEach((kind, row) -> page.faults(row));
    report
        .unfired()
        .forEach(it -> page.caution("Planned and never done, so this proves less: " + it));
    report.troubles().forEach(it -> page.caution("Could not be done: " + it));
    return page.run(run(report, history, plan).rerunBy(rerun)).build();
  }

  private static Run run(ExactlyOnceReport report, History history, String plan) {
    long dropped =
        report.fired().stream().filter(it -> it.action().kind() == FaultKind.ANSWER_LOST).count();
    return Run.of(plan.isEmpty() ? "no fault" : plan, history, report.verdicts())
        .planned(plan.isEmpty() ? null : plan)
        .dropped(dropped);
  }

  private static TreeMap<String, FaultRow> rows(ExactlyOnceReport report) {
    TreeMap<String, FaultRow> rows = new TreeMap<>();
    for (PlannedFault fault : report.plan().faults()) {
      String kind = fault.action().kind().label();
      long fired =
          report.fired().stream().filter(it -> it.action().kind().label().equals(kind)).count();
      rows.put(kind, FaultRow.of(kind, 1, fired));
    }
    return rows;
  }
}
