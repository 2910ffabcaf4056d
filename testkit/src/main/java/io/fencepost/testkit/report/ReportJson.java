package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The data of a report, as its page holds it: for what draws the charts, and for programs. */
final class ReportJson {
  private ReportJson() {}

  static String text(Report report) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    object.put("title", report.title());
    object.put("standing", report.standing().name().toLowerCase(Locale.ROOT));
    object.put("sentence", report.sentence());
    object.put("rerun", report.rerun());
    object.put("cautions", report.cautions());
    object.put("verdicts", verdicts(report.verdicts()));
    object.put("faults", report.faults().stream().map(ReportJson::fault).toList());
    object.put("records", report.records().stream().map(ReportJson::records).toList());
    object.put("violations", report.violations().stream().map(ReportJson::violation).toList());
    object.put("charts", report.charts().stream().map(ReportJson::chart).toList());
    return JsonText.of(object);
  }

  private static List<Object> verdicts(Map<String, Verdict> verdicts) {
    List<Object> all = new ArrayList<>();
    verdicts.forEach(
        (id, verdict) ->
            all.add(
                object(
                    "id",
                    id,
                    "verdict",
                    verdict.label(),
                    "invariant",
                    Invariants.sentence(id),
                    "occasions",
                    verdict instanceof Verdict.Pass pass ? pass.occasions() : null,
                    "reason",
                    VerdictText.reason(verdict))));
    return all;
  }

  private static Object fault(FaultRow row) {
    return object(
        "kind",
        row.kind(),
        "runs",
        row.runs(),
        "fired",
        row.fired(),
        "aborted",
        row.aborted(),
        "fenced",
        row.fenced(),
        "retried",
        row.retried(),
        "restarts",
        row.restarts(),
        "violations",
        row.violations());
  }

  private static Object records(RecordRow row) {
    return object(
        "what",
        row.what(),
        "intended",
        row.intended(),
        "sent",
        row.sent(),
        "failed",
        row.failed(),
        "unknown",
        row.unknown(),
        "log_delta",
        row.logDelta(),
        "duplicates",
        row.duplicates(),
        "reads_dropped",
        row.readsDropped());
  }

  private static Object violation(Violation violation) {
    List<Object> witness = new ArrayList<>();
    for (Violation.Step step : violation.steps()) {
      witness.add(object("line", step.line(), "who", step.who(), "what", step.sentence()));
    }
    return object(
        "id",
        violation.id(),
        "run",
        violation.run(),
        "sentence",
        violation.sentence(),
        "plan",
        violation.plan(),
        "rerun",
        violation.rerun(),
        "witness",
        witness);
  }

  private static Object chart(RunChart chart) {
    List<Object> lanes = new ArrayList<>();
    for (Timeline.Lane lane : chart.timeline().lanes()) {
      lanes.add(
          object(
              "name",
              lane.name(),
              "bars",
              lane.bars().stream().map(ReportJson::bar).toList(),
              "notes",
              lane.notes().stream().map(ReportJson::note).toList()));
    }
    List<Object> curves = new ArrayList<>();
    for (LogCurve curve : chart.curves().drawn()) {
      curves.add(
          object(
              "name",
              curve.partition().toString(),
              "bound",
              curve.isBound(),
              "end",
              curve.logEnd(),
              "high",
              curve.highWatermark(),
              "stable",
              curve.lastStableOffset()));
    }
    return object(
        "name",
        chart.name(),
        "timed",
        chart.isTimed(),
        "start",
        chart.startMs(),
        "span",
        chart.span(),
        "faults",
        chart.timeline().faults().stream().map(ReportJson::note).toList(),
        "lanes",
        lanes,
        "curves",
        curves);
  }

  /**
   * Name, state, begin, where its end was asked for (-1: nowhere), end, records, sends, witness.
   */
  private static Object bar(Timeline.Bar bar) {
    List<Object> fields = new ArrayList<>();
    fields.add(bar.transaction());
    fields.add(bar.state().label().substring(0, 1));
    fields.add(bar.begin());
    fields.add(bar.endAsked());
    fields.add(bar.end());
    fields.add(bar.sendCount());
    fields.add(bar.sends().stream().map(at -> at - bar.begin()).toList());
    if (bar.isWitness()) {
      fields.add(1);
    }
    return fields;
  }

  private static Object note(Timeline.Note note) {
    return List.of(note.at(), note.kind().label(), note.text());
  }

  private static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return object;
  }
}
