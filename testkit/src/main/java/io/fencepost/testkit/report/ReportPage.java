package io.fencepost.testkit.report;

import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.Locale;

/**
 * A report as one page that needs nothing else: no network, no fonts, no other files. What draws
 * its charts is in it, and the data for that, as JSON. Its security policy lets nothing else run.
 */
public final class ReportPage {
  private static final String MARK =
      "<svg class=\"mark\" viewBox=\"0 0 32 24\" aria-hidden=\"true\"><path d=\"M5 3v18M16 3v18"
          + "M27 3v18\"/><path class=\"rail\" d=\"M1 9h30M1 16h30\"/></svg>";

  /**
   * What is the same in every page.
   *
   * @param styleHash of the style, as security policies name it: {@code sha256-} and Base64
   * @param scriptHash of the script
   */
  public record Assets(String style, String styleHash, String script, String scriptHash) {}

  private final Html html = new Html();
  private final Report report;

  private ReportPage(Report report) {
    this.report = report;
  }

  /** The page. */
  public static String html(Report report, Assets assets) {
    return new ReportPage(report).page(assets);
  }

  private String page(Assets assets) {
    html.raw("<!doctype html>\n").open("html", "lang", "en").open("head");
    html.raw("<meta charset=\"utf-8\">");
    html.open(
        "meta",
        "http-equiv",
        "Content-Security-Policy",
        "content",
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src '%s'; script-src '%s'"
            .formatted(assets.styleHash(), assets.scriptHash()));
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">");
    html.raw("<link rel=\"icon\" href=\"data:,\">");
    html.element("title", standingWord() + ": " + report.title());
    html.open("style").raw(assets.style()).close("style").close("head").open("body");
    head();
    html.open("main");
    violations();
    charts();
    TablesHtml.write(html, report);
    html.close("main");
    foot();
    html.open("script", "type", "application/json", "id", "report-data")
        .raw(ReportJson.text(report))
        .close("script");
    html.open("script").raw(assets.script()).close("script");
    return html.close("body").close("html").raw("\n").toString();
  }

  private String standingWord() {
    return switch (report.standing()) {
      case HOLDS -> "Holds";
      case BROKEN -> "Broken";
      case UNKNOWN -> "Unknown";
      case PROVES_NOTHING -> "Proves nothing";
      case CAUGHT -> "Caught";
      case SURVIVED -> "Survived";
    };
  }

  // ---- head

  private void head() {
    String standing = report.standing().name().toLowerCase(Locale.ROOT).replace('_', '-');
    html.open("header", "class", "head " + standing).open("div", "class", "column");
    html.open("p", "class", "brand").raw(MARK).text("Fencepost report").close("p");
    html.element("p", report.title(), "class", "title");
    html.open("h1", "id", "verdict").open("span", "class", "seal", "aria-hidden", "true");
    html.text(
            switch (report.standing()) {
              case HOLDS, CAUGHT -> "✓";
              case BROKEN, SURVIVED -> "✕";
              case UNKNOWN -> "?";
              case PROVES_NOTHING -> "–";
            })
        .close("span")
        .element("span", standingWord())
        .close("h1");
    html.element("p", report.sentence(), "class", "lead");
    for (String caution : report.cautions()) {
      html.open("p", "class", "caution").element("strong", "Note ").text(caution).close("p");
    }
    facts();
    scope();
    html.close("div").close("header");
    links();
  }

  private void facts() {
    String rerun = report.rerun();
    if (!report.facts().isEmpty()) {
      html.open("dl", "class", "facts");
      for (Report.Fact fact : report.facts()) {
        html.open("div").element("dt", fact.label()).element("dd", fact.value()).close("div");
      }
      html.close("dl");
    }
    if (rerun != null) {
      command("Run it again", rerun);
    }
  }

  private void command(String label, String line) {
    html.open("div", "class", "command").element("span", label, "class", "label");
    html.open("pre").element("code", line).close("pre");
    html.close("div");
  }

  private void scope() {
    html.open("section", "class", "scope", "aria-label", "What this covers");
    html.open("div").element("h2", "Covered").open("ul");
    html.element("li", "Records and offsets inside one Kafka cluster.");
    html.element("li", "What clients were told against what logs and readers have.");
    html.element("li", covered());
    html.close("ul").close("div");
    html.open("div").element("h2", "Not covered").open("ul");
    html.element(
        "li", "E-mail, HTTP calls, databases, files: what a job does outside of the cluster.");
    html.element("li", "Input that its producer published twice under two keys.");
    html.element("li", "Readers that do not read committed: they also see what was aborted.");
    List<String> vacuous = report.ids(Verdict.Vacuous.class);
    if (!vacuous.isEmpty()) {
      html.element("li", "What had no occasion here: " + String.join(", ", vacuous) + ".");
    }
    html.close("ul").close("div").close("section");
  }

  private String covered() {
    return "%s: %d held, %d broken, %d unknown, %d without an occasion."
        .formatted(
            Report.counted(report.verdicts().size(), "invariant"),
            report.count(Verdict.Pass.class),
            report.count(Verdict.Fail.class),
            report.count(Verdict.Unknown.class),
            report.count(Verdict.Vacuous.class));
  }

  private void links() {
    html.open("nav", "aria-label", "Parts of this report").open("div", "class", "column");
    if (report.violationCount() > 0) {
      html.element("a", "Violations", "href", "#violations");
    }
    if (!report.charts().isEmpty()) {
      html.element("a", "Timeline and logs", "href", "#charts");
    }
    if (!report.faults().isEmpty()) {
      html.element("a", "Faults", "href", "#faults");
    }
    html.element("a", "Invariants", "href", "#invariants");
    if (!report.records().isEmpty()) {
      html.element("a", "Records", "href", "#records");
    }
    html.close("div").close("nav");
  }

  // ---- parts

  private void violations() {
    if (report.violationCount() == 0) {
      return;
    }
    TablesHtml.begin(html, "violations", "What was broken", "");
    int number = 0;
    String run = null;
    for (Violation violation : report.violations()) {
      if (!violation.run().equals(run)) {
        run = violation.run();
        run(violation);
      }
      violation(violation, ++number);
    }
    int left = report.violationCount() - report.violations().size();
    if (left > 0) {
      html.element("p", Report.grouped(left) + " more are not shown.", "class", "explained");
    }
    html.close("section");
  }

  /** Of which run the next ones are, and how it is run again. */
  private void run(Violation violation) {
    if (report.runCount() > 1) {
      html.element("h3", violation.run(), "class", "run");
    }
    String plan = violation.plan();
    if (plan != null) {
      command("Faults", plan);
    }
    String rerun = violation.rerun();
    if (rerun != null && !rerun.equals(report.rerun())) {
      command("Run it again", rerun);
    }
  }

  private void violation(Violation violation, int number) {
    String id = "violation-" + number;
    html.open("article", "class", "violation", "aria-labelledby", id);
    html.open("h4", "id", id).element("span", violation.id(), "class", "id");
    html.text(" " + violation.sentence()).close("h4");
    html.open("p", "class", "explained").text("It has to hold that ");
    html.text(violation.invariant().isEmpty() ? violation.id() : violation.invariant()).text(".");
    html.close("p");
    if (!violation.picture().strips().isEmpty()) {
      PictureHtml.write(html, violation.picture());
    }
    steps(violation.steps());
    html.close("article");
  }

  private void steps(List<Violation.Step> steps) {
    if (steps.isEmpty()) {
      return;
    }
    html.element("h5", "The events that show it, in the order in which they were seen");
    html.open("ol", "class", "steps");
    for (Violation.Step step : steps) {
      html.open("li").open("p");
      html.element("b", step.who()).text(" " + step.sentence());
      if (step.line() > 0) {
        html.text(" ").element("small", "line " + Report.grouped(step.line()));
      }
      html.close("p").close("li");
    }
    html.close("ol");
  }

  private void charts() {
    if (report.charts().isEmpty()) {
      return;
    }
    TablesHtml.begin(
        html,
        "charts",
        "Timeline and logs",
        "A lane for each transactional id, a bar for each transaction. Drag to move, use the"
            + " buttons or + and − to zoom, n and p to go from one event to the next.");
    int number = 0;
    for (RunChart chart : report.charts()) {
      html.open("figure", "class", "chart", "data-chart", String.valueOf(number++));
      html.open("figcaption");
      if (report.charts().size() > 1) {
        html.element("h3", chart.name());
      }
      html.element("p", drawn(chart), "class", "explained");
      html.close("figcaption");
      html.open("noscript")
          .element("p", "The charts are drawn by the script of this page, which is switched off.")
          .close("noscript");
      html.close("figure");
    }
    int left = report.runCount() - report.charts().size();
    if (left > 0) {
      html.element(
          "p",
          "%s more had nothing to draw, or no room here.".formatted(Report.counted(left, "run")),
          "class",
          "explained");
    }
    html.close("section");
  }

  private static String drawn(RunChart chart) {
    Timeline timeline = chart.timeline();
    long bars = timeline.lanes().stream().mapToLong(lane -> lane.bars().size()).sum();
    StringBuilder text = new StringBuilder();
    text.append(Report.counted(timeline.transactionCount(), "transaction"));
    if (bars < timeline.transactionCount()) {
      text.append(
          ", of which %s are drawn: those that were not committed first, and of the others one in so many"
              .formatted(Report.grouped(bars)));
    }
    if (timeline.laneCount() > timeline.lanes().size()) {
      text.append(", in %d of %d lanes".formatted(timeline.lanes().size(), timeline.laneCount()));
    }
    text.append("; faults, repairs and troubles: ").append(timeline.faults().size());
    int partitions = chart.curves().partitionCount();
    if (partitions > chart.curves().drawn().size()) {
      text.append("; %d of %d partitions".formatted(chart.curves().drawn().size(), partitions));
    }
    if (!chart.isTimed()) {
      text.append("; the history tells no times apart, so events stand in their order");
    }
    return text.append('.').toString();
  }

  private void foot() {
    html.open("footer").open("div", "class", "column");
    html.element(
        "p", "This page needs no network. Its data is in it as JSON, in the element report-data.");
    html.close("div").close("footer");
  }
}
