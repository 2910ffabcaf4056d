package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Invariants;
import io.fencepost.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables of a report: faults by kind, invariants, records. */
final class TablesHtml {
  private final Html html;
  private final Report report;

  private TablesHtml(Html html, Report report) {
    this.html = html;
    this.report = report;
  }

  static void write(Html html, Report report) {
    TablesHtml tables = new TablesHtml(html, report);
    tables.faults();
    tables.invariants();
    tables.records();
  }

  /** Opens a part of the page, with its heading. */
  static void begin(Html html, String id, String heading, String explained) {
    html.open("section", "id", id, "class", "column part", "aria-labelledby", id + "-title");
    html.element("h2", heading, "id", id + "-title");
    if (!explained.isEmpty()) {
      html.element("p", explained, "class", "explained");
    }
  }

  private void faults() {
    if (report.faults().isEmpty()) {
      return;
    }
    begin(html, "faults", "By kind of fault", report.faultsNote());
    Map<String, Function<FaultRow, @Nullable Long>> columns = counted();
    List<String> headings = new ArrayList<>(List.of("fault", "runs", "fired"));
    headings.addAll(columns.keySet());
    table(headings.toArray(String[]::new));
    for (FaultRow row : report.faults()) {
      String look = row.kind().equals("all") ? "total" : "";
      html.open("tr", "class", isPositive(row.violations()) ? look + " bad" : look);
      html.element("th", row.kind(), "scope", "row");
      number(row.runs());
      number(row.fired());
      columns.values().forEach(column -> number(column.apply(row)));
      html.close("tr");
    }
    endTable();
    html.close("section");
  }

  /** The columns in which anything was counted. */
  private Map<String, Function<FaultRow, @Nullable Long>> counted() {
    Map<String, Function<FaultRow, @Nullable Long>> columns = new LinkedHashMap<>();
    columns.put("aborted", FaultRow::aborted);
    columns.put("fenced", FaultRow::fenced);
    columns.put("retried", FaultRow::retried);
    columns.put("restarts", FaultRow::restarts);
    columns.put("violations", FaultRow::violations);
    columns
        .values()
        .removeIf(column -> report.faults().stream().allMatch(row -> column.apply(row) == null));
    return columns;
  }

  private static boolean isPositive(@Nullable Long count) {
    return count != null && count > 0;
  }

  private void invariants() {
    begin(
        html,
        "invariants",
        "Invariants",
        "Pass: it held, on so many occasions on which it could have been broken. Vacuous: there was"
            + " no occasion, which proves nothing. Unknown: the history does not say enough.");
    table("id", "verdict", "occasions", "invariant");
    verdictsInOrder()
        .forEach(
            (id, verdict) -> {
              String label = verdict.label().toLowerCase(Locale.ROOT);
              html.open("tr").element("th", id, "scope", "row");
              html.open("td").element("span", label, "class", "verdict " + label).close("td");
              number(verdict instanceof Verdict.Pass pass ? (Long) pass.occasions() : null);
              html.open("td", "class", "words").text(Invariants.sentence(id));
              String reason = VerdictText.reason(verdict);
              if (!reason.isEmpty()) {
                html.element("span", reason, "class", "reason");
              }
              html.close("td").close("tr");
            });
    endTable();
    html.close("section");
  }

  /** What is wrong comes first. */
  private Map<String, Verdict> verdictsInOrder() {
    Map<String, Verdict> ordered = new LinkedHashMap<>();
    report.verdicts().forEach((id, verdict) -> putIf(ordered, id, verdict, Verdict.Fail.class));
    report.verdicts().forEach((id, verdict) -> putIf(ordered, id, verdict, Verdict.Unknown.class));
    report.verdicts().forEach(ordered::putIfAbsent);
    return ordered;
  }

  private static void putIf(
      Map<String, Verdict> ordered, String id, Verdict verdict, Class<? extends Verdict> kind) {
    if (kind.isInstance(verdict)) {
      ordered.put(id, verdict);
    }
  }

  private void records() {
    if (report.records().isEmpty()) {
      return;
    }
    begin(
        html,
        "records",
        "Records",
        "Intended is what was to be written: in a proof, the output of a run without faults. Sent"
            + " is what the log took, failed what it did not take, or what was aborted in a proof."
            + " Log delta is how far the logs grew, markers included; duplicates are copies of a"
            + " value beyond its first; reads dropped are answers that a fault kept from a"
            + " client.");
    table(
        "topic or run",
        "intended",
        "sent",
        "failed",
        "unknown",
        "log delta",
        "duplicates",
        "reads dropped");
    for (RecordRow row : report.records()) {
      html.open("tr", "class", row.what().equals("all") ? "total" : "");
      html.element("th", row.what(), "scope", "row");
      number(row.intended());
      number(row.sent());
      number(row.failed());
      number(row.unknown());
      number(row.logDelta());
      number(row.duplicates());
      number(row.readsDropped());
      html.close("tr");
    }
    endTable();
    html.close("section");
  }

  private void table(String... headings) {
    html.open("div", "class", "scroller", "tabindex", "0", "role", "region", "aria-label", "Table");
    html.open("table").open("thead").open("tr");
    for (String heading : headings) {
      html.element("th", heading, "scope", "col");
    }
    html.close("tr").close("thead").open("tbody");
  }

  private void endTable() {
    html.close("tbody").close("table").close("div");
  }

  private void number(@Nullable Long count) {
    if (count == null) {
      html.open("td", "class", "number none").element("span", "–", "title", "not counted");
      html.close("td");
    } else {
      html.element("td", Report.grouped(count), "class", count == 0 ? "number zero" : "number");
    }
  }
}
