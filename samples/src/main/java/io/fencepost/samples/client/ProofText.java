package io.fencepost.samples.client;

import io.fencepost.samples.report.Rows;
import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import io.fencepost.testkit.prove.ProofReport;
import io.fencepost.testkit.prove.ProofResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A proof for people and for JSON. */
public final class ProofText {
  private final ProofReport report;
  private final String command;

  /**
   * Of a report.
   *
   * @param command runs a plan again, if the plan is put behind it
   */
  public ProofText(ProofReport report, String command) {
    this.report = report;
    this.command = command;
  }

  private Rows kinds() {
    Rows rows =
        new Rows(
            "FAULT",
            "RUNS",
            "FIRED",
            "COMMITS",
            "ABORTED",
            "FENCED",
            "RETRIED",
            "RESTARTS",
            "VIOLATIONS");
    List<ProofReport.Row> all = new ArrayList<>(report.rows());
    all.add(report.total());
    for (ProofReport.Row row : all) {
      ProofResult.Counts counts = row.counts();
      rows.row(
          row.kind(),
          row.runs(),
          row.fired(),
          counts.commits(),
          counts.aborts(),
          counts.fenced(),
          counts.retries(),
          counts.restarts(),
          row.violations());
    }
    return rows;
  }

  private Rows invariants() {
    Rows rows = new Rows("ID", "VERDICT", "OCCASIONS", "WHAT HOLDS");
    report
        .verdicts()
        .forEach(
            (id, verdict) ->
                rows.row(
                    id,
                    verdict.label(),
                    verdict instanceof Verdict.Pass pass ? pass.occasions() : null,
                    Invariants.sentence(id)));
    return rows;
  }

  /** For JSON. */
  public Map<String, Object> toObject() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("subject", report.subject());
    object.put("seed", report.seed());
    object.put("points", report.pointCount());
    object.put("seconds", report.millis() / 1000.0);
    object.put("unstable", report.stability());
    object.put("kinds", kinds().toObjects());
    object.put("invariants", invariants().toObjects());
    object.put("not_brought_about", report.missing());
    object.put(
        "not_done",
        report.undone().stream().map(result -> result.candidate().plan().toString()).toList());
    List<Map<String, Object>> failures = new ArrayList<>();
    for (ProofReport.Failure failure : report.failures()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("plan", failure.result().candidate().plan().toString());
      one.put("smallest", failure.smallest().toString());
      Map<String, String> violations = new LinkedHashMap<>();
      failure.result().violations().forEach((id, fail) -> violations.put(id, fail.sentence()));
      one.put("violations", violations);
      one.put("history", failure.result().history());
      failures.add(one);
    }
    object.put("failures", failures);
    object.put("holds", report.holds());
    object.put("proves_nothing", report.weakness());
    return object;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(kinds()).append('\n').append(invariants());
    if (report.stability() != null) {
      text.append("\nP1 was not checked: ").append(report.stability()).append('\n');
    }
    if (!report.missing().isEmpty()) {
      text.append("\nnever brought about: ")
          .append(String.join(", ", report.missing()))
          .append('\n');
    }
    for (ProofResult result : report.undone()) {
      text.append("\nnot done of '").append(result.candidate().plan()).append("': ");
      text.append(String.join("; ", result.undone()));
    }
    if (!report.undone().isEmpty()) {
      text.append('\n');
    }
    for (ProofReport.Failure failure : report.failures()) {
      failure
          .result()
          .violations()
          .forEach(
              (id, fail) -> text.append("\nFAIL ").append(id).append(": ").append(fail.sentence()));
      text.append("\n  history ").append(failure.result().history());
      text.append("\n  under ").append(failure.result().candidate().plan());
      text.append("\n  again ")
          .append(command)
          .append('\'')
          .append(failure.smallest())
          .append('\'');
      text.append('\n');
    }
    ProofReport.Row total = report.total();
    text.append(
        String.format(
            Locale.ROOT,
            "%n%s: %d points, %d runs in %.0f s, %d violations%n",
            report.subject(),
            report.pointCount(),
            total.runs(),
            report.millis() / 1000.0,
            total.violations()));
    String weakness = report.holds() ? report.weakness() : null;
    if (weakness != null) {
      text.append("This proves nothing: ").append(weakness).append(".\n");
    }
    text.append(
        "Covered: records, offsets and state of the job in this cluster. Not covered: what its code"
            + " does outside of it.");
    return text.toString();
  }
}
